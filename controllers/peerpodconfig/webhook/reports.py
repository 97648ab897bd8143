"""What the roll-out tells of its certificates."""

from collections.abc import Sequence

from prometheus_client import CollectorRegistry, Gauge

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from controllers.peerpodconfig.webhook.issuing import facts
from framework.events import EventRecorder


class CertificateReports:
    def __init__(self, recorder: EventRecorder, registry: CollectorRegistry) -> None:
        self._recorder = recorder
        self._expiry = Gauge(
            "peerpods_webhook_cert_expiry_seconds",
            "When the certificate of the webhook ends, in seconds since 1970",
            registry=registry,
        )

    def rotated(self, configs: Sequence[PeerPodConfig], note: str) -> None:
        for config in configs:
            self._recorder.record(config, "Normal", "CertificateRotated", note, action="Rotate")

    def expires(self, leaf: bytes) -> None:
        found = facts(leaf)
        if found is not None:
            self._expiry.set(found.ends_at.timestamp())
