"""What can be chosen about the controllers of peer pods."""

from typing import Literal

import msgspec

from controllers.peerpods.names import EXTENDED_RESOURCE


class PeerPodOptions(msgspec.Struct, frozen=True):
    """Read from nothing but what is handed in: neither the environment nor files are looked at here."""

    # Where settings and operands are.
    namespace: str = "confidential-containers-system"
    extended_resource: str = EXTENDED_RESOURCE
    # Of the adaptor; {provider} in it stands for the name of the provider.
    adaptor_image: str = "quay.io/confidential-containers/cloud-api-adaptor"
    adaptor_service_account: str = "cloud-api-adaptor"
    extra_cloud_providers: tuple[str, ...] = ()
    # Whether allocatable is written beside capacity.
    mirror_allocatable: bool = True
    # How long node events are gathered before all configs are looked at.
    gather_seconds: float = 0.5
    resync_seconds: float = 600.0
    # Of PeerPods.
    workers: int = 4
    # How long the adaptor may take to delete the VM itself while its pod is going.
    adaptor_grace_seconds: float = 60.0
    instance_name_guard: Literal["enforce", "warn", "off"] = "enforce"
    # Of the webhook: who serves it, and how the API server reaches it if not by a Service.
    webhook_mode: Literal["deployment", "in-process", "disabled"] = "deployment"
    webhook_url: str = ""
    webhook_image: str = ""
    webhook_command: tuple[str, ...] = ("windlass", "webhook")
    # Where this process serves it, if it does.
    webhook_address: str = ":9443"
    target_runtime_classes: tuple[str, ...] = ("kata-remote",)
    resource_aggregation: Literal["sum", "effective"] = "sum"
    # In the words of Go; empty: the defaults.
    tls_min_version: str = ""
    tls_cipher_suites: str = ""
    cluster_domain: str = "cluster.local"
    webhook_cert_validity_seconds: float = 90 * 86_400.0
    webhook_ca_validity_seconds: float = 730 * 86_400.0
    # From the next authority being trusted to its being used, and from there until the one before is forgotten;
    # None: a minute, and ten.
    webhook_rotation_phase_delay_seconds: float | None = None
    # How often this process looks for a new certificate, if it serves the webhook without leading.
    webhook_poll_seconds: float = 10.0
