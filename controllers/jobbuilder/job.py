"""The Job and the plan of a build, as manifests."""

from typing import Any

import msgspec

from apis.cfworker.builder import BuilderType
from apis.cfworker.jobbuilder import JobBuilder
from apis.meta import controller_reference
from controllers.jobbuilder.containers import BuildContainers
from controllers.workers.accounts import account_name
from controllers.workers.keys import ACCOUNTS, ATTEMPT, JOB_BUILDER, MANAGED_BY, PROGRAM
from controllers.workers.names import job_name, label_value, plan_name
from controllers.workers.plan import PLAN_FILE
from controllers.workers.settings import WorkersSettings

_BAD_INPUT = 42
_KEPT_SECONDS = 3600
_USER = 65532
_NOBODY = {"runAsUser": _USER, "runAsGroup": _USER, "runAsNonRoot": True}


def build_labels(job_builder: JobBuilder) -> dict[str, str]:
    return {
        ACCOUNTS: label_value(account_name(job_builder)),
        JOB_BUILDER: label_value(job_builder.metadata.name),
        MANAGED_BY: PROGRAM,
    }


def plan_manifest(job_builder: JobBuilder, plan: str) -> dict[str, Any]:
    name = plan_name(job_builder.metadata.name)
    return {"apiVersion": "v1", "kind": "ConfigMap", **_metadata(job_builder, name), "data": {PLAN_FILE: plan}}


def job_manifest(job_builder: JobBuilder, settings: WorkersSettings, attempt: str) -> dict[str, Any]:
    builder = job_builder.spec.builder
    metadata = _metadata(job_builder, job_name(job_builder.metadata.name), {ATTEMPT: attempt})
    policy = [
        {"action": "FailJob", "onExitCodes": {"operator": "In", "values": [_BAD_INPUT]}},
        {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
    ]
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        **metadata,
        "spec": {
            "backoffLimit": builder.backoff_limit,
            "activeDeadlineSeconds": builder.timeout_seconds,
            "ttlSecondsAfterFinished": _KEPT_SECONDS,
            "podFailurePolicy": {"rules": policy},
            "template": {"metadata": {"labels": build_labels(job_builder)}, "spec": _pod(job_builder, settings)},
        },
    }


def _pod(job_builder: JobBuilder, settings: WorkersSettings) -> dict[str, Any]:
    containers = BuildContainers(job_builder, settings)
    kind = job_builder.spec.builder.type or settings.builder
    pod: dict[str, Any] = {
        "restartPolicy": "Never",
        "automountServiceAccountToken": False,
        "enableServiceLinks": False,
        "initContainers": containers.init(),
        "containers": [containers.main()],
        "volumes": _volumes(job_builder),
    }
    shared = {"fsGroup": _USER, "seccompProfile": {"type": "RuntimeDefault"}}
    if kind is not BuilderType.KANIKO:
        return {**pod, "securityContext": {**_NOBODY, **shared}}
    # kaniko runs as root, and nobody else: the code of tenants runs beside it.
    first = [{**each, "securityContext": {**each["securityContext"], **_NOBODY}} for each in pod["initContainers"]]
    return {**pod, "initContainers": first, "securityContext": shared}


def _volumes(job_builder: JobBuilder) -> list[dict[str, Any]]:
    spec = job_builder.spec
    registry = {"name": spec.registry_credentials_secret, "items": [_item(".dockerconfigjson", "config.json")]}
    credentials = {"name": spec.s3.credentials_secret, "items": [_item("credentials", "credentials")]}
    config = {"name": spec.s3.config_map, "items": [_item("config", "config")], "optional": True}
    return [
        {"name": "registry-credentials", "projected": {"sources": [{"secret": registry}]}},
        {"name": "s3-config", "projected": {"sources": [{"secret": credentials}, {"configMap": config}]}},
        {"name": "context", "emptyDir": {"sizeLimit": "256Mi"}},
        {"name": "plan", "configMap": {"name": plan_name(job_builder.metadata.name)}},
        {"name": "tmp", "emptyDir": {"sizeLimit": "64Mi"}},
    ]


def _item(key: str, path: str) -> dict[str, str]:
    return {"key": key, "path": path}


def _metadata(job_builder: JobBuilder, name: str, annotations: dict[str, str] | None = None) -> dict[str, Any]:
    metadata = {
        "name": name,
        "namespace": job_builder.metadata.namespace,
        "labels": build_labels(job_builder),
        "ownerReferences": [msgspec.to_builtins(controller_reference(job_builder))],
        **({"annotations": annotations} if annotations else {}),
    }
    return {"metadata": metadata}
