"""Compiles JSON schemas, of custom resources and of built-in kinds, to nodes."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from framework.apiserver.managedfields.node import ListType, MapType, Node, NodeSource, Scalar
from framework.apiserver.managedfields.objectmeta import OBJECT_META

JsonSchema: TypeAlias = Mapping[str, Any]

_QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_RAW_EXTENSION = "io.k8s.apimachinery.pkg.runtime.RawExtension"
_OBJECT_META = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_TYPE_META: JsonSchema = {
    "apiVersion": {"type": "string"},
    "kind": {"type": "string"},
    "metadata": {"$ref": f"#/components/schemas/{_OBJECT_META}"},
}
_MAP_TYPES = {"atomic": True, "granular": False}
_GO_ZEROS: tuple[Any, ...] = ({}, "", 0, False)

# Where nothing is known: objects are owned key by key, lists as a whole, and what is in a list never on its own.
_ANYTHING_ATOMIC: Node = Node(
    scalar=Scalar.ANY,
    list_type=ListType(is_atomic=True, keys=(), element=lambda: _ANYTHING_ATOMIC),
    map_type=MapType(is_atomic=True, fields={}, element=lambda: _ANYTHING_ATOMIC, defaults={}, zeros={}),
)
ANYTHING: Node = Node(
    scalar=Scalar.ANY,
    list_type=ListType(is_atomic=True, keys=(), element=lambda: _ANYTHING_ATOMIC),
    map_type=MapType(is_atomic=False, fields={}, element=lambda: ANYTHING, defaults={}, zeros={}, is_deduced=True),
)


def schema_from_json(schema: JsonSchema, definitions: Mapping[str, JsonSchema] | None = None) -> Node:
    """The node of a kind's schema; *definitions* are what its `$ref`s name, and are read as they are met.

    A schema whose metadata is not a reference is a custom resource's: its apiVersion, kind and metadata become those
    of every object.
    """
    compiler = _Compiler(definitions or {})
    if not _reference(schema.get("properties", {}).get("metadata", {})):
        schema = _with_type_meta(schema)
    return compiler.node(schema, keeps_unknown=False)


class _Compiler:
    def __init__(self, definitions: Mapping[str, JsonSchema]) -> None:
        self._definitions = definitions or {_OBJECT_META: OBJECT_META}
        self._is_of_go_structs = bool(definitions)
        # Invariant: one node for each name and override, so that types that refer to themselves end.
        self._named: dict[tuple[str, bool | None], Node] = {}

    def node(self, schema: JsonSchema, *, keeps_unknown: bool) -> Node:
        name = _reference(schema)
        if name:
            return self._named_node(name, _MAP_TYPES.get(schema.get("x-kubernetes-map-type", "")))
        if schema.get("x-kubernetes-embedded-resource"):
            schema = _with_type_meta(schema)
        keeps_unknown = keeps_unknown or bool(schema.get("x-kubernetes-preserve-unknown-fields"))
        return self._inline_node(schema, keeps_unknown=keeps_unknown)

    def _named_node(self, name: str, override: bool | None) -> Node:  # noqa: FBT001 - None: no override
        found = self._named.get((name, override))
        if found is None:
            found = self._named[name, override] = self._definition(name, override)
        return found

    def _definition(self, name: str, override: bool | None) -> Node:  # noqa: FBT001 - None: no override
        if name == _QUANTITY:
            return Node(scalar=Scalar.ANY)
        if name == _RAW_EXTENSION:
            return _ANYTHING_ATOMIC
        node = self.node(self._definitions[name], keeps_unknown=False)
        if override is None:
            return node
        if node.map_type is not None:
            return Node(scalar=node.scalar, list_type=node.list_type, map_type=node.map_type.atomic(override))
        if node.list_type is not None:
            return Node(scalar=node.scalar, list_type=node.list_type.atomic(override))
        return node

    def _inline_node(self, schema: JsonSchema, *, keeps_unknown: bool) -> Node:
        match schema.get("type", ""):
            case "object":
                return Node(map_type=self._map(schema, keeps_unknown=keeps_unknown))
            case "array":
                return Node(list_type=self._list(schema, keeps_unknown=keeps_unknown))
            case "integer" | "number":
                return Node(scalar=Scalar.NUMBER)
            case "boolean":
                return Node(scalar=Scalar.TRUTH)
            case "string":
                return Node(scalar=Scalar.TEXT if schema.get("format", "") in {"", "byte"} else Scalar.ANY)
            case _:
                return Node(
                    scalar=Scalar.ANY,
                    list_type=self._list(schema, keeps_unknown=keeps_unknown),
                    map_type=self._map(schema, keeps_unknown=keeps_unknown),
                )

    def _map(self, schema: JsonSchema, *, keeps_unknown: bool) -> MapType:
        properties: Mapping[str, JsonSchema] = schema.get("properties") or {}
        element, is_deduced = self._element_of_map(schema, keeps_unknown=keeps_unknown)
        return MapType(
            is_atomic=schema.get("x-kubernetes-map-type") == "atomic",
            fields={name: self._source(child, keeps_unknown=keeps_unknown) for name, child in properties.items()},
            element=element,
            defaults={name: child["default"] for name, child in properties.items() if "default" in child},
            zeros=_zeros(schema) if self._is_of_go_structs else {},
            is_deduced=is_deduced and not properties,
        )

    def _element_of_map(self, schema: JsonSchema, *, keeps_unknown: bool) -> tuple[NodeSource | None, bool]:
        additional = schema.get("additionalProperties")
        if isinstance(additional, Mapping):
            return self._source(additional, keeps_unknown=keeps_unknown), False
        is_open = keeps_unknown or not schema.get("properties") if additional is None else bool(additional)
        if not is_open:
            return None, False
        return (lambda: ANYTHING), True

    def _list(self, schema: JsonSchema, *, keeps_unknown: bool) -> ListType:
        is_atomic, keys = _list_kind(schema)
        items = schema.get("items")
        element: NodeSource = lambda: _ANYTHING_ATOMIC  # noqa: E731 - one of two sources
        if isinstance(items, Mapping):
            element = self._source(items, keeps_unknown=keeps_unknown)
        return ListType(is_atomic=is_atomic, keys=keys, element=element)

    def _source(self, schema: JsonSchema, *, keeps_unknown: bool) -> NodeSource:
        return lambda: self.node(schema, keeps_unknown=keeps_unknown)


def _reference(schema: JsonSchema) -> str:
    reference = schema.get("$ref", "")
    options: Sequence[JsonSchema] = schema.get("allOf") or ()
    if not reference and len(options) == 1:
        reference = options[0].get("$ref", "")
    return str(reference).rpartition("/")[2]


def _with_type_meta(schema: JsonSchema) -> JsonSchema:
    return {**schema, "properties": {**(schema.get("properties") or {}), **_TYPE_META}}


def _list_kind(schema: JsonSchema) -> tuple[bool, tuple[str, ...]]:
    """Whether the list is one whole, and the names of its keys if it is a map."""
    match schema.get("x-kubernetes-list-type"):
        case "set":
            return False, ()
        case "map":
            return False, tuple(schema.get("x-kubernetes-list-map-keys") or ())
        case "atomic":
            return True, ()
    # Types that are older than list types say it by how strategic merge patches treat them.
    if schema.get("x-kubernetes-patch-strategy") in {"merge", "merge,retainKeys"}:
        key = schema.get("x-kubernetes-patch-merge-key")
        return False, (key,) if key else ()
    return True, ()


def _zeros(schema: JsonSchema) -> dict[str, Any]:
    """The fields that a Go struct of this schema always has, with their values when nothing is set."""
    required = schema.get("required") or ()
    zeros: dict[str, Any] = {}
    for name, child in (schema.get("properties") or {}).items():
        if child.get("default") in _GO_ZEROS:
            zeros[name] = child["default"]
        elif name in required and (_reference(child) or child.get("type") in {"array", "object"}):
            zeros[name] = None
    return zeros
