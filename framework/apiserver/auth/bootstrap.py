"""The roles and bindings that every cluster starts with, as far as they concern users of this server.

Those for the control plane's own components (controllers, scheduler, kubelets) are left out: here they are part of
the server, and ask nobody.
"""

from collections.abc import Sequence
from typing import Any

from framework.apiserver.auth.aggregation import aggregated_rules
from framework.apiserver.auth.rbac import GROUP
from framework.apiserver.auth.user import AUTHENTICATED, MASTERS, SERVICE_ACCOUNTS, UNAUTHENTICATED
from framework.apiserver.objects import Object

_READ = ["get", "list", "watch"]
_WRITE = ["create", "delete", "deletecollection", "patch", "update"]
_READ_WRITE = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"]
_AGGREGATE_TO = f"{GROUP}/aggregate-to-"


def _rule(verbs: Sequence[str], groups: str, resources: str) -> Object:
    # Spaces separate; a dot stands for the core group.
    names = ["" if group == "." else group for group in groups.split()]
    return {"apiGroups": names, "resources": resources.split(), "verbs": list(verbs)}


def _urls(paths: str, verbs: Sequence[str] = ("get",)) -> Object:
    return {"nonResourceURLs": paths.split(), "verbs": list(verbs)}


_VIEW = [
    _rule(
        _READ,
        ".",
        "configmaps endpoints persistentvolumeclaims persistentvolumeclaims/status pods replicationcontrollers"
        " replicationcontrollers/scale serviceaccounts services services/status",
    ),
    _rule(
        _READ,
        ".",
        "bindings limitranges namespaces/status pods/log pods/status replicationcontrollers/status resourcequotas"
        " resourcequotas/status",
    ),
    _rule(_READ, ".", "namespaces"),
    _rule(_READ, ". events.k8s.io", "events"),
    _rule(_READ, "discovery.k8s.io", "endpointslices"),
    _rule(
        _READ,
        "apps",
        "controllerrevisions daemonsets daemonsets/status deployments deployments/scale deployments/status replicasets"
        " replicasets/scale replicasets/status statefulsets statefulsets/scale statefulsets/status",
    ),
    _rule(_READ, "autoscaling", "horizontalpodautoscalers horizontalpodautoscalers/status"),
    _rule(_READ, "batch", "cronjobs cronjobs/status jobs jobs/status"),
    _rule(
        _READ,
        "extensions",
        "daemonsets daemonsets/status deployments deployments/scale deployments/status ingresses ingresses/status"
        " networkpolicies replicasets replicasets/scale replicasets/status replicationcontrollers/scale",
    ),
    _rule(_READ, "policy", "poddisruptionbudgets poddisruptionbudgets/status"),
    _rule(_READ, "networking.k8s.io", "ingresses ingresses/status networkpolicies"),
    _rule(_READ, "resource.k8s.io", "resourceclaims resourceclaims/status resourceclaimtemplates"),
]
_EDIT = [
    _rule(_READ, ".", "pods/attach pods/exec pods/portforward pods/proxy secrets services/proxy"),
    _rule(["impersonate"], ".", "serviceaccounts"),
    _rule(_WRITE, ".", "pods pods/attach pods/exec pods/portforward pods/proxy"),
    _rule(["create"], ".", "pods/eviction"),
    _rule(
        _WRITE,
        ".",
        "configmaps persistentvolumeclaims replicationcontrollers replicationcontrollers/scale secrets"
        " serviceaccounts services services/proxy",
    ),
    _rule(["create"], ".", "serviceaccounts/token"),
    _rule(_WRITE, ". events.k8s.io", "events"),
    _rule(
        _WRITE,
        "apps",
        "daemonsets deployments deployments/rollback deployments/scale replicasets replicasets/scale statefulsets"
        " statefulsets/scale",
    ),
    _rule(_WRITE, "autoscaling", "horizontalpodautoscalers"),
    _rule(_WRITE, "batch", "cronjobs jobs"),
    _rule(
        _WRITE,
        "extensions",
        "daemonsets deployments deployments/rollback deployments/scale ingresses networkpolicies replicasets"
        " replicasets/scale replicationcontrollers/scale",
    ),
    _rule(_WRITE, "policy", "poddisruptionbudgets"),
    _rule(_WRITE, "networking.k8s.io", "ingresses networkpolicies"),
    _rule(_READ_WRITE, "coordination.k8s.io", "leases"),
    _rule(_WRITE, "resource.k8s.io", "resourceclaims resourceclaimtemplates"),
]
_ADMIN = [
    _rule(["create"], "authorization.k8s.io", "localsubjectaccessreviews"),
    _rule(_READ_WRITE, GROUP, "rolebindings roles"),
]
_ROLES: dict[str, list[Object]] = {
    "cluster-admin": [_rule("*", "*", "*"), _urls("*", "*")],
    "system:auth-delegator": [
        _rule(["create"], "authentication.k8s.io", "tokenreviews"),
        _rule(["create"], "authorization.k8s.io", "subjectaccessreviews"),
    ],
    "system:basic-user": [
        _rule(["create"], "authorization.k8s.io", "selfsubjectaccessreviews selfsubjectrulesreviews"),
        _rule(["create"], "authentication.k8s.io", "selfsubjectreviews"),
    ],
    "system:discovery": [
        _urls("/api /api/* /apis /apis/* /healthz /livez /openapi /openapi/* /readyz /version /version/")
    ],
    "system:monitoring": [
        _urls(
            "/flagz /healthz /healthz/* /livez /livez/* /metrics /metrics/slis /readyz /readyz/* /statusz",
        ),
        _rule(["get"], ".", "nodes/metrics"),
    ],
    "system:public-info-viewer": [_urls("/healthz /livez /readyz /version /version/")],
    "system:service-account-issuer-discovery": [
        _urls(
            "/.well-known/openid-configuration /.well-known/openid-configuration/ /openid/v1/jwks /openid/v1/jwks/",
        )
    ],
}
# What is aggregated into what: a role, the rules that are its own, and the role that takes it in as a whole.
_AGGREGATES: tuple[tuple[str, list[Object], str], ...] = (
    ("admin", _ADMIN, ""),
    ("edit", _EDIT, "admin"),
    ("view", _VIEW, "edit"),
)
_BINDINGS: dict[str, tuple[str, ...]] = {
    "cluster-admin": (MASTERS,),
    "system:basic-user": (AUTHENTICATED,),
    "system:discovery": (AUTHENTICATED,),
    "system:monitoring": ("system:monitoring",),
    "system:public-info-viewer": (AUTHENTICATED, UNAUTHENTICATED),
    "system:service-account-issuer-discovery": (SERVICE_ACCOUNTS,),
}


def bootstrap_roles() -> Sequence[Object]:
    """ClusterRoles, then ClusterRoleBindings; new objects at each call."""
    roles = [_cluster_role(name, {}, rules=rules) for name, rules in _ROLES.items()]
    for name, own_rules, taken_in_by in _AGGREGATES:
        selector = {"matchLabels": {f"{_AGGREGATE_TO}{name}": "true"}}
        labels = {f"{_AGGREGATE_TO}{taken_in_by}": "true"} if taken_in_by else {}
        roles.append(_cluster_role(name, labels, aggregationRule={"clusterRoleSelectors": [selector]}))
        parts = {f"{_AGGREGATE_TO}{name}": "true"}
        roles.append(_cluster_role(f"system:aggregate-to-{name}", parts, rules=own_rules))
    _fill_aggregates(sorted(roles, key=lambda role: str(role["metadata"]["name"])))
    return [*roles, *(_binding(name, groups) for name, groups in _BINDINGS.items())]


def _fill_aggregates(roles: Sequence[Object]) -> None:
    # From the inside out: edit takes in view, admin takes in edit.
    by_name = {role["metadata"]["name"]: role for role in roles}
    for name, _, _ in reversed(_AGGREGATES):
        by_name[name]["rules"] = aggregated_rules(by_name[name], roles)


def _cluster_role(name: str, labels: dict[str, str], **content: Any) -> Object:
    return {"apiVersion": f"{GROUP}/v1", "kind": "ClusterRole", "metadata": _metadata(name, labels), **content}


def _binding(name: str, groups: Sequence[str]) -> Object:
    return {
        "apiVersion": f"{GROUP}/v1",
        "kind": "ClusterRoleBinding",
        "metadata": _metadata(name, {}),
        "roleRef": {"apiGroup": GROUP, "kind": "ClusterRole", "name": name},
        "subjects": [{"apiGroup": GROUP, "kind": "Group", "name": group} for group in groups],
    }


def _metadata(name: str, labels: dict[str, str]) -> Object:
    return {
        "name": name,
        "labels": {"kubernetes.io/bootstrapping": "rbac-defaults", **labels},
        "annotations": {"rbac.authorization.kubernetes.io/autoupdate": "true"},
    }
