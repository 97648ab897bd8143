"""The DaemonSet that runs the adaptor on the nodes of one PeerPodConfig."""

from typing import Any

import msgspec

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.meta import controller_reference
from controllers.peerpodconfig.settings import ResolvedSettings
from controllers.peerpods.names import CONFIG_LABEL, MANAGED_BY, MANAGED_BY_LABEL
from controllers.peerpods.options import PeerPodOptions

SETTINGS_HASH = "kata.peerpods.io/settings-hash"
# What the adaptor of each cloud calls the type of a VM.
INSTANCE_TYPE_VARIABLES = {
    "aws": "PODVM_INSTANCE_TYPE",
    "alibabacloud": "PODVM_INSTANCE_TYPE",
    "azure": "AZURE_INSTANCE_SIZE",
    "gcp": "GCP_MACHINE_TYPE",
    "ibmcloud": "IBMCLOUD_PODVM_INSTANCE_PROFILE_NAME",
}
_OWNER_ONLY = 0o600

Manifest = dict[str, Any]


def daemon_set(config: PeerPodConfig, name: str, settings: ResolvedSettings, options: PeerPodOptions) -> Manifest:
    labels = {MANAGED_BY_LABEL: MANAGED_BY, CONFIG_LABEL: config.metadata.uid}
    metadata: Manifest = {"name": name, "namespace": options.namespace, "labels": labels}
    if config.metadata.namespace == options.namespace:
        # An owner in another namespace would be none to the garbage collector: it would collect this at once.
        metadata["ownerReferences"] = [msgspec.to_builtins(controller_reference(config))]
    return {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": metadata,
        "spec": {
            "selector": {"matchLabels": {"name": name}},
            "updateStrategy": {"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 1}},
            "template": _template(config, name, settings, options),
        },
    }


def plain_template(config: PeerPodConfig, name: str, settings: ResolvedSettings, options: PeerPodOptions) -> Manifest:
    """The template without what may have to be taken away again one day."""
    spec = msgspec.structs.replace(config.spec, instance_type="", restart_on_settings_change=False)
    return _template(msgspec.structs.replace(config, spec=spec), name, settings, options)


def image_of(config: PeerPodConfig, provider: str, options: PeerPodOptions) -> str:
    return (config.spec.image or options.adaptor_image).replace("{provider}", provider)


def _template(config: PeerPodConfig, name: str, settings: ResolvedSettings, options: PeerPodOptions) -> Manifest:
    uid, spec = config.metadata.uid, config.spec
    metadata: Manifest = {"labels": {"name": name, MANAGED_BY_LABEL: MANAGED_BY, CONFIG_LABEL: uid}}
    if spec.restart_on_settings_change:
        metadata["annotations"] = {SETTINGS_HASH: settings.digest}
    pod: Manifest = {
        "hostNetwork": True,
        "dnsPolicy": "ClusterFirstWithHostNet",
        "serviceAccountName": options.adaptor_service_account,
        # By the assignment, and not by what was asked for: neither selectors nor limits nor rivals restart the adaptor
        # on nodes that stay.
        "nodeSelector": {CONFIG_LABEL: uid},
        "containers": [_container(config, settings, options)],
        "volumes": _VOLUMES,
    }
    if spec.tolerations:
        pod["tolerations"] = msgspec.to_builtins(spec.tolerations)
    return {"metadata": metadata, "spec": pod}


def _container(config: PeerPodConfig, settings: ResolvedSettings, options: PeerPodOptions) -> Manifest:
    spec = config.spec
    return {
        "name": "caa-pod",
        "image": image_of(config, settings.provider, options),
        "imagePullPolicy": "Always",
        "command": ["/usr/local/bin/entrypoint.sh"],
        "securityContext": {"privileged": True, "runAsUser": 0},
        "env": _variables(spec.instance_type, settings.provider),
        # The later one wins where both have a key.
        "envFrom": [
            {"secretRef": {"name": spec.cloud_secret_name, "optional": True}},
            {"configMapRef": {"name": spec.config_map_name, "optional": True}},
        ],
        "volumeMounts": _MOUNTS,
    }


def _variables(instance_type: str, provider: str) -> list[Manifest]:
    found: list[Manifest] = [
        {"name": "NODE_NAME", "valueFrom": _field("spec.nodeName")},
        {"name": "POD_UID", "valueFrom": _field("metadata.uid")},
        # The adaptor is not to advertise anything itself.
        {"name": "PEERPODS_LIMIT_PER_NODE", "value": "-1"},
    ]
    if instance_type and provider in INSTANCE_TYPE_VARIABLES:
        found.append({"name": INSTANCE_TYPE_VARIABLES[provider], "value": instance_type})
    return found


def _field(path: str) -> Manifest:
    # With the version, which the server would add: it owns the reference as a whole, and another one is a difference.
    return {"fieldRef": {"apiVersion": "v1", "fieldPath": path}}


def _host_path(path: str, path_type: str = "") -> Manifest:
    return {"hostPath": {"path": path, **({"type": path_type} if path_type else {})}}


def _secret(name: str) -> Manifest:
    return {"secret": {"secretName": name, "defaultMode": _OWNER_ONLY, "optional": True}}


_MOUNTS: list[Manifest] = [
    {"name": "auth-json-volume", "mountPath": "/root/containers/", "readOnly": True},
    {"name": "ssh", "mountPath": "/root/.ssh", "readOnly": True},
    {"name": "pods-dir", "mountPath": "/run/peerpod"},
    {"name": "netns", "mountPath": "/run/netns", "mountPropagation": "HostToContainer"},
    {"name": "xtables-lock", "mountPath": "/run/xtables.lock"},
    {"name": "lib-modules", "mountPath": "/lib/modules", "readOnly": True},
    {"name": "kata-direct-volumes-dir", "mountPath": "/run/kata-containers/shared/direct-volumes"},
]
_VOLUMES: list[Manifest] = [
    {"name": "auth-json-volume", **_secret("auth-json-secret")},
    {"name": "ssh", **_secret("ssh-key-secret")},
    {"name": "pods-dir", **_host_path("/run/peerpod", "DirectoryOrCreate")},
    {"name": "netns", **_host_path("/run/netns")},
    {"name": "xtables-lock", **_host_path("/run/xtables.lock", "FileOrCreate")},
    {"name": "lib-modules", **_host_path("/lib/modules")},
    {
        "name": "kata-direct-volumes-dir",
        **_host_path("/run/kata-containers/shared/direct-volumes", "DirectoryOrCreate"),
    },
]
