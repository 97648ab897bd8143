"""How objects are shown: whole, as metadata only, or as the rows of a table; as JSON or YAML."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import msgspec

from framework.apiserver.fields import invalid_value
from framework.apiserver.objects import Object
from framework.apiserver.resource import Resource
from framework.apiserver.rest.context import Context
from framework.apiserver.rest.unrecognized import go_package
from framework.apiserver.rest.versions import converted, from_storage
from framework.apiserver.status import bad_request, failure, not_acceptable
from framework.apiserver.storage import Record
from framework.loading import LOADING

_encode = msgspec.json.Encoder().encode
JSON, YAML = "application/json", "application/yaml"
_KNOWN = {"*/*": JSON, JSON: JSON, YAML: YAML}
_INCLUDED: Mapping[str, Literal["Metadata", "None", "Object"]] = {
    "Metadata": "Metadata",
    "None": "None",
    "Object": "Object",
}
_PARTIAL = {"PartialObjectMetadata", "PartialObjectMetadataList"}


class Shape(msgspec.Struct, frozen=True):
    """What the Accept header asks for."""

    media_type: str = JSON
    # "", PartialObjectMetadata, PartialObjectMetadataList or Table.
    target: str = ""
    target_version: str = "v1"

    @property
    def is_plain(self) -> bool:
        return not self.target


def shape_of(accept: str, *, is_stream: bool = False) -> Shape:
    """The first clause of an Accept header that can be met; 406 if there is none."""
    if accept in {"", JSON, "*/*"}:
        return Shape()
    for media_type, parameters in _clauses(accept):
        known = _KNOWN.get(media_type.strip())
        if known is None or (is_stream and known is YAML):
            continue
        target = parameters.get("as", "")
        if not target:
            return Shape(known)
        is_meta = parameters.get("g") == "meta.k8s.io" and parameters.get("v") in {"v1", "v1beta1"}
        if is_meta and (target == "Table" or target in _PARTIAL):
            return Shape(known, target, parameters["v"])
    raise not_acceptable(f"only the following media types are accepted: {JSON}, {YAML}")


def _clauses(accept: str) -> list[tuple[str, dict[str, str]]]:
    """Media types with their parameters, the ones that are wanted most first."""
    clauses = []
    for clause in accept.split(","):
        media_type, _, rest = clause.strip().partition(";")
        clauses.append((media_type, dict(_parameter(text) for text in rest.split(";") if "=" in text)))
    return sorted(clauses, key=_weight, reverse=True) if "q=" in accept else clauses


def _weight(clause: tuple[str, dict[str, str]]) -> float:
    try:
        return float(clause[1].get("q", "1"))
    except ValueError:
        return 1.0


def _parameter(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    return name.strip(), value.strip()


def check_single(resource: Resource, shape: Shape) -> Shape:
    if shape.target == "PartialObjectMetadataList":
        if resource.is_custom:
            raise failure("content is not a list")
        why = f"the requested object is not a list (*{go_package(resource.group)}.{resource.kind})"
        raise not_acceptable(f"you requested {shape.target}, but {why}")
    return shape


def check_list(resource: Resource, shape: Shape) -> Shape:
    if shape.target == "PartialObjectMetadata":
        custom = "unstructured.UnstructuredList"
        name = custom if resource.is_custom else f"{go_package(resource.group)}.{resource.list_kind}"
        raise not_acceptable(f"you requested {shape.target}, but the requested object is a list (*{name})")
    return shape


def stored_bytes(resource: Resource, record: Record) -> bytes:
    """The object as JSON in the version of *resource*, without decoding it where versions are the same."""
    if resource.convert is None or resource.api_version == resource.storage_api_version:
        return record.raw
    return _encode(from_storage(resource, record))


def partial_metadata(obj: Object, version: str) -> Object:
    return {
        "kind": "PartialObjectMetadata",
        "apiVersion": f"meta.k8s.io/{version}",
        "metadata": obj["metadata"],
    }


def show_object(context: Context, obj: Object, shape: Shape) -> Object:
    if shape.is_plain:
        return obj
    if shape.target == "Table":
        metadata = {"resourceVersion": obj["metadata"].get("resourceVersion", "")}
        return _table(context, [obj], metadata, shape)
    return partial_metadata(obj, shape.target_version)


def show_list(context: Context, records: Sequence[Record], metadata: dict[str, Any], shape: Shape) -> bytes:
    resource = context.resource
    if shape.is_plain:
        return _plain_list(resource, records, metadata)
    objects = [from_storage(resource, record) for record in records]
    if shape.target == "Table":
        return _encode(_table(context, objects, metadata, shape))
    version = shape.target_version
    items = [partial_metadata(obj, version) for obj in objects] or None
    head = {"kind": "PartialObjectMetadataList", "apiVersion": f"meta.k8s.io/{version}", "metadata": metadata}
    return _encode({**head, "items": items})


def _plain_list(resource: Resource, records: Sequence[Record], metadata: dict[str, Any]) -> bytes:
    if resource.is_custom:
        # Where the real server has no types it writes the token even if it is empty.
        metadata = {"continue": "", **metadata}
    head = _encode({"kind": resource.list_kind, "apiVersion": resource.api_version, "metadata": metadata})
    item = _without_type(resource) if not resource.is_custom else None
    raws = (stored_bytes(resource, record) for record in records)
    items = b",".join(raws if item is None else map(item, raws))
    return b"".join((head[:-1], b',"items":[', items, b"]}"))


def _without_type(resource: Resource) -> Callable[[bytes], bytes]:
    """The items in a list of a built-in kind carry neither apiVersion nor kind; both stand first in what is kept."""
    prefix = _encode({"apiVersion": resource.api_version, "kind": resource.kind})[:-1] + b","
    length = len(prefix)

    def strip(raw: bytes) -> bytes:
        return b"{" + raw[length:] if raw.startswith(prefix) else raw

    return strip


def _table(context: Context, objects: Sequence[Object], metadata: dict[str, Any], shape: Shape) -> Object:
    # Only people ask for tables, and the printers take their time to load.
    with LOADING:
        from framework.apiserver.tables import table_document

    wanted = context.query.get("includeObject") or "Metadata"
    include = _INCLUDED.get(wanted)
    if include is None:
        error = invalid_value("includeObject", wanted, "must be 'Metadata', 'Object', 'None', or empty")
        raise bad_request(f"Unable to convert to Table as requested: {error}")
    return table_document(
        context.resource.table,
        objects,
        now=context.services.clock.now().timestamp(),
        list_meta=metadata,
        include_object=include,
        api_version=f"meta.k8s.io/{shape.target_version}",
    )


def event_object(context: Context, stored: Object, shape: Shape) -> Object:
    """A stored object as the object of a watch event."""
    obj = converted(context.resource, stored)
    return show_object(context, obj, shape)
