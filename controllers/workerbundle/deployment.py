"""The Deployment of a bundle, as a manifest."""

import hashlib
from typing import Any

import msgspec

from apis.cfworker.workerbundle import WorkerBundle
from apis.core.v1 import Secret
from apis.meta import Key
from controllers.workers.accounts import account_name
from controllers.workers.images import JOB_BUILDER_SOURCE
from controllers.workers.keys import ACCOUNTS, BUNDLE, IMAGE_SOURCE, MANAGED_BY, PROGRAM, SECRETS_VERSION
from controllers.workers.names import deployment_name, label_value, pod_name
from framework.listers import Lister

_USER = 65532
_RESOURCES = {"requests": {"cpu": "20m", "memory": "64Mi"}, "limits": {"memory": "512Mi"}}


def is_built_by_us(bundle: WorkerBundle) -> bool:
    return bundle.metadata.annotations.get(IMAGE_SOURCE, "").startswith(JOB_BUILDER_SOURCE)


def child_labels(bundle: WorkerBundle) -> dict[str, str]:
    return {
        ACCOUNTS: label_value(account_name(bundle)),
        BUNDLE: label_value(bundle.metadata.name),
        MANAGED_BY: PROGRAM,
    }


def pod_labels(bundle: WorkerBundle) -> dict[str, str]:
    """What pods are selected by; nothing can be added to it later."""
    return {"app": pod_name(bundle.spec.deployment_name)}


def secrets_version(bundle: WorkerBundle, secrets: Lister[Secret]) -> str:
    """Changes whenever one of the Secrets does; made of their versions, never of their values."""
    names = {each.secret_ref for each in bundle.spec.workers if each.secret_ref}
    found = (secrets.get(Key(bundle.metadata.namespace, name)) for name in names)
    parts = sorted(f"{each.metadata.uid}:{each.metadata.resource_version}" for each in found if each)
    return hashlib.sha256("\n".join(parts).encode()).hexdigest()


def deployment(bundle: WorkerBundle, secrets: Lister[Secret]) -> dict[str, Any]:
    options = bundle.spec.pod_template
    replicas = {} if options.autoscaling else {"replicas": 1 if options.replicas is None else options.replicas}
    template = {
        "metadata": {
            "labels": {**child_labels(bundle), **pod_labels(bundle)},
            "annotations": {SECRETS_VERSION: secrets_version(bundle, secrets)},
        },
        "spec": _pod(bundle),
    }
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": deployment_name(bundle.spec.deployment_name), "labels": child_labels(bundle)},
        "spec": {
            **replicas,
            "revisionHistoryLimit": 2,
            "progressDeadlineSeconds": 600,
            "strategy": {"type": "RollingUpdate", "rollingUpdate": {"maxSurge": 1, "maxUnavailable": 0}},
            "selector": {"matchLabels": pod_labels(bundle)},
            "template": template,
        },
    }


def _pod(bundle: WorkerBundle) -> dict[str, Any]:
    options = bundle.spec.pod_template
    optional = {
        "imagePullSecrets": [{"name": options.image_pull_secret}] if options.image_pull_secret else [],
        "nodeSelector": options.node_selector,
        "tolerations": msgspec.to_builtins(options.tolerations),
        "serviceAccountName": options.service_account_name,
        "securityContext": _security() if is_built_by_us(bundle) else {},
    }
    return {
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": 30,
        "containers": [_container(bundle)],
        **{name: value for name, value in optional.items() if value},
    }


def _security() -> dict[str, Any]:
    return {
        "runAsNonRoot": True,
        "runAsUser": _USER,
        "runAsGroup": _USER,
        "fsGroup": _USER,
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def _container(bundle: WorkerBundle) -> dict[str, Any]:
    options, workers = bundle.spec.pod_template, bundle.spec.workers
    resources = msgspec.to_builtins(options.resources) if options.resources is not None else _RESOURCES
    container: dict[str, Any] = {
        "name": pod_name(bundle.spec.deployment_name),
        "image": options.image,
        "ports": [
            {"name": f"p{each.worker_number}", "containerPort": each.worker_number, "protocol": "TCP"}
            for each in workers
        ],
        "resources": resources,
    }
    sources = [_source(each.env_prefix, each.secret_ref) for each in workers if each.secret_ref]
    if sources:
        container["envFrom"] = sources
    return {**container, **_guards(workers[0].worker_number)} if is_built_by_us(bundle) else container


def _source(prefix: str, secret: str) -> dict[str, Any]:
    reference = {"name": secret, "optional": True}
    return {"prefix": prefix, "secretRef": reference} if prefix else {"secretRef": reference}


def _guards(port: int) -> dict[str, Any]:
    probe = {"tcpSocket": {"port": port}}
    return {
        "readinessProbe": {**probe, "periodSeconds": 5},
        "livenessProbe": {**probe, "periodSeconds": 20, "initialDelaySeconds": 10},
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
    }
