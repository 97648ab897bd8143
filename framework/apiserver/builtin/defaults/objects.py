"""Defaults of the small kinds: namespaces, secrets, nodes and the objects of RBAC."""

import base64

from framework.apiserver.objects import Object

_RBAC = "rbac.authorization.k8s.io"
NAME_LABEL = "kubernetes.io/metadata.name"


def default_namespace(namespace: Object) -> None:
    metadata = namespace.setdefault("metadata", {})
    # A name that is still to be generated is set later, by the strategy.
    if name := metadata.get("name"):
        metadata.setdefault("labels", {})[NAME_LABEL] = name


def default_namespace_status(status: Object) -> None:
    status.setdefault("phase", "Active")


def default_node_status(status: Object) -> None:
    if "allocatable" not in status and "capacity" in status:
        status["allocatable"] = dict(status["capacity"])


def default_secret(secret: Object) -> None:
    secret.setdefault("type", "Opaque")
    # Only ever written: what is stored has it as data.
    if text := secret.pop("stringData", None):
        encoded = {key: base64.b64encode(value.encode()).decode() for key, value in text.items()}
        secret.setdefault("data", {}).update(encoded)


def default_binding(binding: Object) -> None:
    reference = binding.setdefault("roleRef", {})
    if not reference.get("apiGroup"):
        reference["apiGroup"] = _RBAC


def default_subject(subject: Object) -> None:
    if subject.get("kind") in {"User", "Group"}:
        subject.setdefault("apiGroup", _RBAC)


OBJECT_DEFAULTS = {
    "core.v1.Namespace": default_namespace,
    "core.v1.NamespaceStatus": default_namespace_status,
    "core.v1.NodeStatus": default_node_status,
    "core.v1.Secret": default_secret,
    "rbac.v1.RoleBinding": default_binding,
    "rbac.v1.ClusterRoleBinding": default_binding,
    "rbac.v1.Subject": default_subject,
}
