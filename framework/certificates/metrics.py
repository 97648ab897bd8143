"""Certificates in numbers; those of controller-runtime's certwatcher under its names."""

from datetime import datetime

from prometheus_client import CollectorRegistry, Counter, Gauge


class CertificateMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.reads = Counter(
            "certwatcher_read_certificate_total", "Total number of certificate reads", registry=registry
        )
        self.read_errors = Counter(
            "certwatcher_read_certificate_errors_total",
            "Total number of certificate read errors",
            registry=registry,
        )
        self.failures = Counter(
            "windlass_certificate_round_failures_total",
            "Rounds of looking after certificates and CA bundles that did not come to their end",
            registry=registry,
        )
        self._expiry = Gauge(
            "windlass_certificate_expiry_timestamp_seconds",
            "When the certificate ends, in seconds since 1970",
            ["certificate"],
            registry=registry,
        )

    def expires(self, certificate: str, moment: datetime) -> None:
        """*certificate* is `serving` or `authority`."""
        self._expiry.labels(certificate).set(moment.timestamp())
