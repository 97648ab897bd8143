"""Which built-in kind is printed how."""

from collections.abc import Mapping, Sequence
from typing import Any

from framework.apiserver.objects import GroupKind, Object
from framework.apiserver.resource import Column, TablePrinter
from framework.apiserver.tables.access import BINDINGS
from framework.apiserver.tables.durations import age
from framework.apiserver.tables.events import CORE_EVENTS, EVENTS
from framework.apiserver.tables.networking import INGRESSES, NETWORK_POLICIES, SERVICES
from framework.apiserver.tables.nodes import NODES
from framework.apiserver.tables.pods import PODS
from framework.apiserver.tables.printer import AGE, CREATED_AT, NAME, FunctionTable, integer
from framework.apiserver.tables.reading import created, name_of, objects_at, text_at
from framework.apiserver.tables.workloads import (
    CRON_JOBS,
    DAEMON_SETS,
    DEPLOYMENTS,
    DISRUPTION_BUDGETS,
    JOBS,
    REPLICA_SETS,
    STATEFUL_SETS,
)


def _name_and_creation(obj: Object, _: float) -> Sequence[Any]:
    return (name_of(obj), created(obj) or "0001-01-01T00:00:00Z")


def _name_and_age(obj: Object, now: float) -> Sequence[Any]:
    return (name_of(obj), age(created(obj), now))


def _namespace(obj: Object, now: float) -> Sequence[Any]:
    return (name_of(obj), text_at(obj, "status", "phase"), age(created(obj), now))


def _config_map(obj: Object, now: float) -> Sequence[Any]:
    entries = len(obj.get("data") or ()) + len(obj.get("binaryData") or ())
    return (name_of(obj), entries, age(created(obj), now))


def _secret(obj: Object, now: float) -> Sequence[Any]:
    return (name_of(obj), text_at(obj, "type"), len(obj.get("data") or ()), age(created(obj), now))


def _lease(obj: Object, now: float) -> Sequence[Any]:
    return (name_of(obj), text_at(obj, "spec", "holderIdentity"), age(created(obj), now))


def _webhooks(obj: Object, now: float) -> Sequence[Any]:
    return (name_of(obj), len(objects_at(obj, "webhooks")), age(created(obj), now))


_DATA = Column("Data", description="How many entries there are.")
_NAMESPACES = FunctionTable((NAME, Column("Status", description="Active or Terminating."), AGE), _namespace)
_CONFIG_MAPS = FunctionTable((NAME, _DATA, AGE), _config_map)
_SECRETS = FunctionTable((NAME, Column("Type", description="What the data is for."), _DATA, AGE), _secret)
_LEASES = FunctionTable((NAME, Column("Holder", description="Who holds the lease."), AGE), _lease)
_WEBHOOKS = FunctionTable((NAME, integer("Webhooks", "How many webhooks are registered."), AGE), _webhooks)
_SERVICE_ACCOUNTS = FunctionTable((NAME, AGE), _name_and_age)
# The real server has no columns of its own for roles and definitions either.
_OTHERS = FunctionTable((NAME, CREATED_AT), _name_and_creation)

_TABLES: Mapping[GroupKind, TablePrinter] = {
    GroupKind("", "Namespace"): _NAMESPACES,
    GroupKind("", "Pod"): PODS,
    GroupKind("", "Service"): SERVICES,
    GroupKind("", "ConfigMap"): _CONFIG_MAPS,
    GroupKind("", "Secret"): _SECRETS,
    GroupKind("", "Event"): CORE_EVENTS,
    GroupKind("events.k8s.io", "Event"): EVENTS,
    GroupKind("coordination.k8s.io", "Lease"): _LEASES,
    GroupKind("", "ServiceAccount"): _SERVICE_ACCOUNTS,
    GroupKind("", "Node"): NODES,
    GroupKind("apps", "Deployment"): DEPLOYMENTS,
    GroupKind("apps", "ReplicaSet"): REPLICA_SETS,
    GroupKind("apps", "StatefulSet"): STATEFUL_SETS,
    GroupKind("apps", "DaemonSet"): DAEMON_SETS,
    GroupKind("batch", "Job"): JOBS,
    GroupKind("batch", "CronJob"): CRON_JOBS,
    GroupKind("networking.k8s.io", "Ingress"): INGRESSES,
    GroupKind("networking.k8s.io", "NetworkPolicy"): NETWORK_POLICIES,
    GroupKind("policy", "PodDisruptionBudget"): DISRUPTION_BUDGETS,
    GroupKind("rbac.authorization.k8s.io", "RoleBinding"): BINDINGS,
    GroupKind("rbac.authorization.k8s.io", "ClusterRoleBinding"): BINDINGS,
    GroupKind("admissionregistration.k8s.io", "MutatingWebhookConfiguration"): _WEBHOOKS,
    GroupKind("admissionregistration.k8s.io", "ValidatingWebhookConfiguration"): _WEBHOOKS,
}


def builtin_table(group: str, kind: str) -> TablePrinter:
    """The printer of a built-in kind; name and time of creation for those without columns of their own."""
    return _TABLES.get(GroupKind(group, kind), _OTHERS)
