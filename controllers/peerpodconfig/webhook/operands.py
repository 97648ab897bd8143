"""The server of the webhook: its Deployment and its Service."""

from typing import Any

from controllers.peerpodconfig.webhook.names import APP, APP_LABEL, DEPLOYMENT_NAME, SERVICE_NAME, SERVING_SECRET
from controllers.peerpods.names import MANAGED_BY, MANAGED_BY_LABEL
from controllers.peerpods.options import PeerPodOptions

_SELECTOR = {APP_LABEL: APP}
_PORT, _HEALTH_PORT = 9443, 8081
_FOLDER = "/tmp/k8s-webhook-server/serving-certs"  # noqa: S108 - a mount of the pod's own


def service(options: PeerPodOptions) -> dict[str, Any]:
    # Protocols are said: they are part of what tells ports apart.
    ports = [{"name": "webhook", "port": 443, "targetPort": _PORT, "protocol": "TCP"}]
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"namespace": options.namespace, "name": SERVICE_NAME},
        "spec": {"ports": ports, "selector": _SELECTOR},
    }


def deployment(options: PeerPodOptions, replicas: int) -> dict[str, Any]:
    template = {"metadata": {"labels": {**_SELECTOR, MANAGED_BY_LABEL: MANAGED_BY}}, "spec": _pod(options)}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"namespace": options.namespace, "name": DEPLOYMENT_NAME, "labels": _SELECTOR},
        "spec": {"replicas": replicas, "selector": {"matchLabels": _SELECTOR}, "template": template},
    }


def _pod(options: PeerPodOptions) -> dict[str, Any]:
    term = {"labelSelector": {"matchLabels": _SELECTOR}, "topologyKey": "kubernetes.io/hostname"}
    preferred = [{"weight": 100, "podAffinityTerm": term}]
    return {
        # It asks the API server for nothing.
        "automountServiceAccountToken": False,
        "securityContext": {"runAsNonRoot": True, "seccompProfile": {"type": "RuntimeDefault"}},
        "affinity": {"podAntiAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}},
        "containers": [_container(options)],
        "volumes": [{"name": "cert", "secret": {"secretName": SERVING_SECRET}}],
    }


def _container(options: PeerPodOptions) -> dict[str, Any]:
    return {
        "name": "webhook",
        "image": options.webhook_image,
        "command": list(options.webhook_command),
        "env": [{"name": name, "value": value} for name, value in _environment(options).items()],
        "ports": [
            {"name": "webhook-server", "containerPort": _PORT, "protocol": "TCP"},
            {"name": "health", "containerPort": _HEALTH_PORT, "protocol": "TCP"},
        ],
        "readinessProbe": {"httpGet": {"path": "/readyz", "port": _HEALTH_PORT}},
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": _HEALTH_PORT}},
        "resources": {"requests": {"cpu": "10m", "memory": "64Mi"}, "limits": {"cpu": "500m", "memory": "128Mi"}},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [{"name": "cert", "mountPath": _FOLDER, "readOnly": True}],
    }


def _environment(options: PeerPodOptions) -> dict[str, str]:
    chosen = {
        "TARGET_RUNTIMECLASS": ",".join(options.target_runtime_classes),
        "POD_VM_EXTENDED_RESOURCE": options.extended_resource,
        "TLS_MIN_VERSION": options.tls_min_version,
        "TLS_CIPHER_SUITES": options.tls_cipher_suites,
        "RESOURCE_AGGREGATION": "" if options.resource_aggregation == "sum" else options.resource_aggregation,
    }
    return {name: value for name, value in chosen.items() if value}
