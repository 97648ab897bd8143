"""The built-in resources, put together from their data, rules, merge keys and printers."""

from collections.abc import Sequence
from functools import cache

from msgspec.structs import replace

from framework.apiserver.builtin import BuiltinResource, builtin_resources
from framework.apiserver.builtin_rules import BuiltinRules, convert_event
from framework.apiserver.definitions.cleanup import mark_definition_deleted
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.resource import Resource
from framework.apiserver.rest.context import timestamp
from framework.apiserver.storage import Storage
from framework.clock import Clock

_SERVICES = GroupResource("", "services")
_RETURN_DELETED = frozenset({"Namespace", "Pod", "Service", "ServiceAccount", "CustomResourceDefinition"})


def builtin_kinds(storage: Storage, clock: Clock) -> Sequence[Resource]:
    kinds = []
    for one, kind in zip(builtin_resources(), _kinds(), strict=True):
        if kind.storage == _SERVICES:
            kinds.append(replace(kind, rules=BuiltinRules(one, lambda: storage.list(_SERVICES))))
        elif kind.kind == "CustomResourceDefinition":
            kinds.append(replace(kind, mark_deleted=lambda crd: mark_definition_deleted(crd, timestamp(clock.now()))))
        else:
            kinds.append(kind)
    return kinds


@cache
def _kinds() -> tuple[Resource, ...]:
    """Once for all servers of a process, with all that is compiled for them."""
    return tuple(map(_resource, builtin_resources()))


def _resource(one: BuiltinResource) -> Resource:
    is_event = one.plural == "events"
    return Resource(
        group=one.group,
        version=one.version,
        kind=one.kind,
        plural=one.plural,
        singular=one.singular,
        list_kind=one.list_kind,
        is_namespaced=one.is_namespaced,
        rules=BuiltinRules(one, tuple),
        verbs=one.verbs,
        subresources=one.served_subresources,
        short_names=one.short_names,
        categories=one.categories,
        scale=one.scale,
        schema_name=one.schema,
        storage=one.storage,
        storage_api_version="v1" if is_event else one.api_version,
        convert=convert_event if is_event else None,
        returns_deleted_object=one.kind in _RETURN_DELETED,
        mark_deleted=_mark_namespace if one.kind == "Namespace" else None,
        holds=_is_namespace_held if one.kind == "Namespace" else None,
    )


def _mark_namespace(namespace: Object) -> None:
    namespace.setdefault("status", {})["phase"] = "Terminating"


def _is_namespace_held(namespace: Object) -> bool:
    return bool((namespace.get("spec") or {}).get("finalizers"))
