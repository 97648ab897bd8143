"""The built-in kinds that the controllers read and write."""

from typing import NamedTuple

from framework.apiserver.objects import GroupResource


class BuiltinKind(NamedTuple):
    group: str
    version: str
    kind: str
    plural: str
    is_namespaced: bool = True

    @property
    def storage(self) -> GroupResource:
        return GroupResource(self.group, self.plural)

    @property
    def api_version(self) -> str:
        return f"{self.group}/{self.version}" if self.group else self.version


NAMESPACES = BuiltinKind("", "v1", "Namespace", "namespaces", is_namespaced=False)
NODES = BuiltinKind("", "v1", "Node", "nodes", is_namespaced=False)
PODS = BuiltinKind("", "v1", "Pod", "pods")
EVENTS = BuiltinKind("", "v1", "Event", "events")
SERVICE_ACCOUNTS = BuiltinKind("", "v1", "ServiceAccount", "serviceaccounts")
DEPLOYMENTS = BuiltinKind("apps", "v1", "Deployment", "deployments")
REPLICA_SETS = BuiltinKind("apps", "v1", "ReplicaSet", "replicasets")
STATEFUL_SETS = BuiltinKind("apps", "v1", "StatefulSet", "statefulsets")
DAEMON_SETS = BuiltinKind("apps", "v1", "DaemonSet", "daemonsets")
JOBS = BuiltinKind("batch", "v1", "Job", "jobs")
LEASES = BuiltinKind("coordination.k8s.io", "v1", "Lease", "leases")
DISRUPTION_BUDGETS = BuiltinKind("policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets")
CLUSTER_ROLES = BuiltinKind("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", is_namespaced=False)
DEFINITIONS = BuiltinKind(
    "apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", is_namespaced=False
)
