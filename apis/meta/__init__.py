"""The parts that every Kubernetes object has, and how a Struct becomes a kind.

Guarantees: values are immutable; `resource_type_of` answers for every class
that `kind` decorated.
Not guaranteed: that a decoded object holds all fields the server has; unknown
fields are skipped, which is why nothing is ever written back as a whole.
"""

from apis.meta.kind import (
    DECLARATION,
    RULES,
    KindDeclaration,
    PrinterColumn,
    Rule,
    Scale,
    declaration_of,
    kind,
    resource_type_of,
    rules,
)
from apis.meta.object import (
    Condition,
    KubeObject,
    ListMeta,
    ObjectMeta,
    OwnerReference,
    PartialObject,
    Time,
    Unstructured,
)
from apis.meta.resource import GroupVersionKind, Key, Request, ResourceType, Scope

__all__ = [
    "DECLARATION",
    "RULES",
    "Condition",
    "GroupVersionKind",
    "Key",
    "KindDeclaration",
    "KubeObject",
    "ListMeta",
    "ObjectMeta",
    "OwnerReference",
    "PartialObject",
    "PrinterColumn",
    "Request",
    "ResourceType",
    "Rule",
    "Scale",
    "Scope",
    "Time",
    "Unstructured",
    "declaration_of",
    "kind",
    "resource_type_of",
    "rules",
]
