"""The flags of the controllers of peer pods, and what they choose."""

from collections.abc import Mapping
from typing import Any

from controllers.options import (
    Flag,
    address,
    duration,
    duration_of_at_least,
    https_url,
    label_name,
    list_of_names,
    object_name,
    one_of,
    optional_namespace,
)
from controllers.peerpods.options import PeerPodOptions

_DEFAULT = PeerPodOptions()
_MODES = ("manager",)
_A_SECOND = duration_of_at_least(1.0)
PEER_POD_FLAGS = (
    Flag(
        "peerpods-namespace",
        "where settings of clouds and operands are; else the namespace of this pod",
        "",
        optional_namespace,
        _MODES,
        "PEERPODS_NAMESPACE",
    ),
    Flag(
        "pod-vm-extended-resource",
        "what nodes advertise for each VM",
        _DEFAULT.extended_resource,
        label_name,
        _MODES,
        "POD_VM_EXTENDED_RESOURCE",
    ),
    Flag(
        "caa-image",
        "of the adaptor; {provider} stands for the cloud",
        _DEFAULT.adaptor_image,
        str,
        _MODES,
        "RELATED_IMAGE_CAA",
    ),
    Flag(
        "caa-service-account",
        "that the adaptor runs as",
        _DEFAULT.adaptor_service_account,
        object_name,
        _MODES,
    ),
    Flag("caa-grace", "how long the adaptor may take to delete a VM itself", "60s", duration, _MODES),
    Flag(
        "extra-cloud-providers", "names that CLOUD_PROVIDER may have beside the known ones", "", list_of_names, _MODES
    ),
    Flag(
        "instance-name-guard",
        "for VMs that are not called podvm-…: enforce, warn or off",
        _DEFAULT.instance_name_guard,
        one_of("enforce", "warn", "off"),
        _MODES,
    ),
    Flag(
        "webhook-mode",
        "who makes pods peer pods: a deployment of its own, this process (in-process), or nobody (disabled)",
        _DEFAULT.webhook_mode,
        one_of("deployment", "in-process", "disabled"),
        _MODES,
    ),
    Flag("webhook-url", "how the API server reaches it; else by its Service", "", https_url, _MODES),
    Flag("webhook-image", "of its deployment", "", str, _MODES, "RELATED_IMAGE_WEBHOOK"),
    Flag("webhook-bind-address", "where this process serves it", _DEFAULT.webhook_address, address, _MODES),
    Flag("webhook-cert-validity", "of its certificate", "2160h", _A_SECOND, _MODES),
    Flag("webhook-ca-validity", "of the authority that issues it", "17520h", _A_SECOND, _MODES),
    Flag(
        "webhook-rotation-phase-delay",
        "between the steps of a new authority; else 1m, then 10m",
        "",
        lambda text: duration(text) if text else None,
        _MODES,
    ),
    Flag(
        "target-runtimeclass",
        "pods of these become peer pods, with commas between",
        ",".join(_DEFAULT.target_runtime_classes),
        list_of_names,
        _MODES,
        "TARGET_RUNTIMECLASS",
    ),
    Flag(
        "resource-aggregation",
        "what a VM needs: the sum of its containers, or what is effective at any one time",
        _DEFAULT.resource_aggregation,
        one_of("sum", "effective"),
        _MODES,
        "RESOURCE_AGGREGATION",
    ),
    Flag("tls-min-version", "of the webhook: VersionTLS12 or VersionTLS13", "", str, _MODES, "TLS_MIN_VERSION"),
    Flag("tls-cipher-suites", "of the webhook with TLS 1.2, as Go calls them", "", str, _MODES, "TLS_CIPHER_SUITES"),
    Flag("cluster-domain", "how names of Services end", _DEFAULT.cluster_domain, object_name, _MODES),
)


def peer_pod_options(flags: Mapping[str, Any], own_namespace: str) -> PeerPodOptions:
    """*own_namespace* is where this process runs; empty if it does not run in a pod."""
    return PeerPodOptions(
        namespace=flags["peerpods-namespace"] or own_namespace or _DEFAULT.namespace,
        extended_resource=flags["pod-vm-extended-resource"],
        adaptor_image=flags["caa-image"],
        adaptor_service_account=flags["caa-service-account"],
        adaptor_grace_seconds=flags["caa-grace"],
        extra_cloud_providers=flags["extra-cloud-providers"],
        instance_name_guard=flags["instance-name-guard"],
        resync_seconds=flags["resync"],
        workers=flags["workers"],
        webhook_mode=flags["webhook-mode"],
        webhook_url=flags["webhook-url"],
        webhook_image=flags["webhook-image"],
        webhook_address=flags["webhook-bind-address"],
        webhook_cert_validity_seconds=flags["webhook-cert-validity"],
        webhook_ca_validity_seconds=flags["webhook-ca-validity"],
        webhook_rotation_phase_delay_seconds=flags["webhook-rotation-phase-delay"],
        target_runtime_classes=flags["target-runtimeclass"] or _DEFAULT.target_runtime_classes,
        resource_aggregation=flags["resource-aggregation"],
        tls_min_version=flags["tls-min-version"],
        tls_cipher_suites=flags["tls-cipher-suites"],
        cluster_domain=flags["cluster-domain"],
    )
