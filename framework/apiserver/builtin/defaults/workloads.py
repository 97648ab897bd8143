"""Defaults of the kinds that keep pods running."""

from framework.apiserver.objects import Object

_REVISIONS = 10
_PROGRESS_DEADLINE_SECONDS = 600
_ROLLING = "RollingUpdate"


def default_deployment_spec(spec: Object) -> None:
    spec.setdefault("replicas", 1)
    strategy = spec.setdefault("strategy", {})
    if strategy.setdefault("type", _ROLLING) == _ROLLING:
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")
    spec.setdefault("revisionHistoryLimit", _REVISIONS)
    spec.setdefault("progressDeadlineSeconds", _PROGRESS_DEADLINE_SECONDS)


def default_replica_set_spec(spec: Object) -> None:
    spec.setdefault("replicas", 1)


def default_daemon_set_spec(spec: Object) -> None:
    strategy = spec.setdefault("updateStrategy", {})
    if strategy.setdefault("type", _ROLLING) == _ROLLING:
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", 1)
        rolling.setdefault("maxSurge", 0)
    spec.setdefault("revisionHistoryLimit", _REVISIONS)


def default_stateful_set_spec(spec: Object) -> None:
    spec.setdefault("podManagementPolicy", "OrderedReady")
    strategy = spec.setdefault("updateStrategy", {})
    if "type" not in strategy:
        strategy["type"] = _ROLLING
        strategy.setdefault("rollingUpdate", {})
    if strategy["type"] == _ROLLING and "rollingUpdate" in strategy:
        strategy["rollingUpdate"].setdefault("partition", 0)
    retention = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
    retention.setdefault("whenDeleted", "Retain")
    retention.setdefault("whenScaled", "Retain")
    spec.setdefault("replicas", 1)
    spec.setdefault("revisionHistoryLimit", _REVISIONS)
    for claim in spec.get("volumeClaimTemplates", ()):
        claim.setdefault("apiVersion", "v1")
        claim.setdefault("kind", "PersistentVolumeClaim")


WORKLOAD_DEFAULTS = {
    "apps.v1.DeploymentSpec": default_deployment_spec,
    "apps.v1.ReplicaSetSpec": default_replica_set_spec,
    "apps.v1.DaemonSetSpec": default_daemon_set_spec,
    "apps.v1.StatefulSetSpec": default_stateful_set_spec,
}
