"""The parts that every Kubernetes object has, and how a Struct becomes a kind.

Guarantees: values are immutable; `resource_type_of` answers for every class
that `kind` decorated.
Not guaranteed: that a decoded object holds all fields the server has; unknown
fields are skipped, which is why nothing is ever written back as a whole.
"""

from apis.meta.kind import (
    DECLARATION,
    RULES,
    VALIDATIONS,
    KindDeclaration,
    PrinterColumn,
    Rule,
    Scale,
    controller_reference,
    declaration_of,
    kind,
    resource_type_of,
    rules,
    rules_of,
)
from apis.meta.marker import (
    EMBEDDED_RESOURCE,
    LIST_ATOMIC,
    LIST_SET,
    MAP_ATOMIC,
    NULLABLE,
    IntOrString,
    field_rules,
    list_map,
    server_default,
)
from apis.meta.object import (
    ApiStruct,
    Condition,
    KubeObject,
    ListMeta,
    ObjectMeta,
    OwnerReference,
    PartialObject,
    Unstructured,
)
from apis.meta.resource import GroupVersionKind, Key, Request, ResourceType, Scope
from apis.meta.time import MicroTime, MicroTimeText, Time, micro_time, time_of

__all__ = [
    "DECLARATION",
    "EMBEDDED_RESOURCE",
    "LIST_ATOMIC",
    "LIST_SET",
    "MAP_ATOMIC",
    "NULLABLE",
    "RULES",
    "VALIDATIONS",
    "ApiStruct",
    "Condition",
    "GroupVersionKind",
    "IntOrString",
    "Key",
    "KindDeclaration",
    "KubeObject",
    "ListMeta",
    "MicroTime",
    "MicroTimeText",
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
    "controller_reference",
    "declaration_of",
    "field_rules",
    "kind",
    "list_map",
    "micro_time",
    "resource_type_of",
    "rules",
    "rules_of",
    "server_default",
    "time_of",
]
