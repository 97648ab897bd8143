"""The scale subresource: the number of replicas of an object, whatever its kind."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from framework.apiserver.fields import invalid_value
from framework.apiserver.managedfields import check_applied
from framework.apiserver.objects import GroupKind, Object
from framework.apiserver.patch import decode_apply_patch, decode_json, json_patch, merge_patch
from framework.apiserver.resource import ScaleManager, ScalePaths
from framework.apiserver.rest.context import Context
from framework.apiserver.rest.decoding import media_type, unsupported_format
from framework.apiserver.rest.metadata import ensure_name
from framework.apiserver.rest.options import APPLY, WriteOptions, write_options
from framework.apiserver.rest.scale_body import patched, put_body
from framework.apiserver.rest.updating import CHANGED, update
from framework.apiserver.rest.versions import from_storage
from framework.apiserver.selectors import label_selector_from_object
from framework.apiserver.status import bad_request, conflict, internal_error, invalid, not_found

_SCALE = {"kind": "Scale", "apiVersion": "autoscaling/v1"}
# Stands for the number of an object that has none; nobody can ask for it.
_NONE = -(2**31)
_STRATEGIC = "application/strategic-merge-patch+json"
_PATCHES = (
    "application/json-patch+json",
    "application/merge-patch+json",
    _STRATEGIC,
    APPLY,
)


def get_scale(context: Context) -> Object:
    record = context.table.get(context.key)
    if record is None:
        raise not_found(context.resource.group_resource, context.info.name)
    paths, obj = _paths(context), from_storage(context.resource, record)
    if _is_without_replicas(context, obj):
        raise internal_error(f'the spec replicas field "{_dotted(paths.spec_replicas)}" does not exist')
    return scale_of(paths, obj)


def put_scale(context: Context) -> Object:
    options = write_options(context.query, "UpdateOptions")
    content = put_body(context, options)
    return _change(context, options, _written(context, lambda _: content))


def patch_scale(context: Context) -> Object:
    patch_type = media_type(context.headers.get("content-type", ""))
    if patch_type not in _PATCHES:
        raise unsupported_format(_PATCHES)
    options = write_options(context.query, "PatchOptions", patch_type)
    if patch_type == APPLY:
        return _change(context, options, _applied(context, options))

    def write(scale: Object) -> Object:
        content = decode_json(context.request.body)
        new = json_patch(scale, content) if patch_type == _PATCHES[0] else merge_patch(scale, content)
        return patched(context, options, new, is_converted=patch_type == _STRATEGIC)

    return _change(context, options, _written(context, write))


def scale_of(paths: ScalePaths, obj: Object) -> Object:
    metadata = obj["metadata"]
    shown = {
        name: metadata[name]
        for name in ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
        if name in metadata
    }
    replicas = _at(obj, paths.spec_replicas)
    scale: Object = {**_SCALE, "metadata": shown, "spec": {}, "status": {"replicas": 0}}
    if replicas:
        scale["spec"]["replicas"] = replicas
    scale["status"]["replicas"] = _at(obj, paths.status_replicas) or 0
    selector = _at(obj, paths.selector) if paths.selector else None
    if isinstance(selector, str):
        scale["status"]["selector"] = selector
    elif isinstance(selector, dict):
        scale["status"]["selector"] = str(label_selector_from_object(selector))
    return scale


# From the live object and its scale to the scale that is wanted and the entries of managedFields.
_Wanted = Callable[[Object, Object], tuple[Any, Sequence[Any]]]


def _written(context: Context, write: Callable[[Object], Any]) -> _Wanted:
    def wanted(live: Object, old: Object) -> tuple[Any, Sequence[Any]]:
        scale = write(old)
        _check(context, scale, live)
        manager = _manager(context)
        return scale, manager.update(live, old, scale, context.manager.name, context.services.now())

    return wanted


def _applied(context: Context, options: WriteOptions) -> _Wanted:
    applied = decode_apply_patch(context.request.body)
    check_applied(applied, _SCALE["apiVersion"], _SCALE["kind"])

    def wanted(live: Object, old: Object) -> tuple[Any, Sequence[Any]]:
        now, name = context.services.now(), context.manager.name
        scale, entries = _manager(context).apply(live, old, applied, name, now, force=options.is_forced)
        _check(context, scale, live)
        return scale, entries

    return wanted


def _change(context: Context, options: WriteOptions, wanted: _Wanted) -> Object:
    paths = _paths(context)

    def transform(live: Object | None) -> Object:
        if live is None:
            raise not_found(context.resource.group_resource, context.info.name)
        old = scale_of(paths, live)
        if _is_without_replicas(context, live):
            old["spec"]["replicas"] = _NONE
        scale, entries = wanted(live, old)
        if (scale.get("spec") or {}).get("replicas") == _NONE:
            raise bad_request(f'the spec replicas field "{_dotted(paths.spec_replicas)}" cannot be empty')
        new: Object = msgspec.json.decode(msgspec.json.encode(live))
        _put(new, paths.spec_replicas, (scale.get("spec") or {}).get("replicas", 0))
        new["metadata"]["managedFields"] = list(entries)
        if not entries:
            del new["metadata"]["managedFields"]
        return new

    obj, _ = update(context, transform, options, scales=True)
    return scale_of(paths, obj)


def _check(context: Context, scale: Object, live: Object) -> None:
    metadata = scale.get("metadata") or {}
    ensure_name(context, {"metadata": metadata})
    version, uid = metadata.get("resourceVersion") or "", metadata.get("uid") or ""
    resource, name = context.resource.group_resource, context.info.name
    if version and version != live["metadata"]["resourceVersion"]:
        raise conflict(resource, name, CHANGED)
    if uid and uid != live["metadata"]["uid"]:
        raise conflict(
            resource,
            name,
            f"Precondition failed: UID in precondition: {uid}, UID in object meta: {live['metadata']['uid']}",
        )
    replicas = (scale.get("spec") or {}).get("replicas", 0)
    # A custom resource says itself what its replicas may be.
    if replicas < 0 and not context.resource.is_custom:
        error = invalid_value("spec.replicas", replicas, "must be greater than or equal to 0")
        raise invalid(GroupKind("autoscaling", "Scale"), name, [error])


def _is_without_replicas(context: Context, obj: Object) -> bool:
    return context.resource.is_custom and _at(obj, _paths(context).spec_replicas) is None


def _dotted(path: tuple[str, ...]) -> str:
    return "." + ".".join(path)


def _manager(context: Context) -> ScaleManager:
    manager = context.resource.rules.scale_manager
    assert manager is not None  # noqa: S101 - only resources with a scale are routed here
    return manager


def _paths(context: Context) -> ScalePaths:
    paths = context.resource.scale
    assert paths is not None  # noqa: S101 - only resources with a scale are routed here
    return paths


def _at(obj: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        if not isinstance(obj, dict):
            return None
        obj = obj.get(name)
    return obj


def _put(obj: Object, path: tuple[str, ...], value: Any) -> None:
    for name in path[:-1]:
        obj = obj.setdefault(name, {})
    obj[path[-1]] = value
