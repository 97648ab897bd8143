"""The verbs that write, and those of the subresources that stand for a part of an object."""

from collections.abc import Callable, Mapping

from framework.apiserver.rest.answers import encoded, shown, shown_page
from framework.apiserver.rest.binding import bind
from framework.apiserver.rest.context import Context
from framework.apiserver.rest.creating import create
from framework.apiserver.rest.deleting import delete, delete_collection
from framework.apiserver.rest.eviction import evict
from framework.apiserver.rest.patching import patch
from framework.apiserver.rest.representation import Shape, check_single
from framework.apiserver.rest.scaling import get_scale, patch_scale, put_scale
from framework.apiserver.rest.updating import put
from framework.http.exchange import Answer

_CREATED, _OK = 201, 200
_CREATED_STATUS = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Success", "code": _CREATED}


def _create(context: Context, shape: Shape) -> Answer:
    return shown(context, create(context), check_single(context.resource, shape), _CREATED)


def _put(context: Context, shape: Shape) -> Answer:
    obj, is_new = put(context)
    return shown(context, obj, check_single(context.resource, shape), _CREATED if is_new else _OK)


def _patch(context: Context, shape: Shape) -> Answer:
    obj, is_new = patch(context)
    return shown(context, obj, check_single(context.resource, shape), _CREATED if is_new else _OK)


def _delete(context: Context, shape: Shape) -> Answer:
    obj, code = delete(context)
    if obj["kind"] == "Status":
        return encoded(context, obj, shape, code)
    return shown(context, obj, check_single(context.resource, shape), code)


def _delete_collection(context: Context, shape: Shape) -> Answer:
    return shown_page(context, delete_collection(context), shape)


def _get_scale(context: Context, shape: Shape) -> Answer:
    return encoded(context, get_scale(context), shape)


def _put_scale(context: Context, shape: Shape) -> Answer:
    return encoded(context, put_scale(context), shape)


def _patch_scale(context: Context, shape: Shape) -> Answer:
    return encoded(context, patch_scale(context), shape)


def _bind(context: Context, shape: Shape) -> Answer:
    bind(context)
    return encoded(context, _CREATED_STATUS, shape, _CREATED)


def _evict(context: Context, shape: Shape) -> Answer:
    evict(context)
    return encoded(context, _CREATED_STATUS, shape, _CREATED)


# By subresource and verb.
WRITES: Mapping[tuple[str, str], Callable[[Context, Shape], Answer]] = {
    ("", "create"): _create,
    ("", "update"): _put,
    ("", "patch"): _patch,
    ("", "delete"): _delete,
    ("", "deletecollection"): _delete_collection,
    ("status", "update"): _put,
    ("status", "patch"): _patch,
    ("finalize", "update"): _put,
    ("scale", "get"): _get_scale,
    ("scale", "update"): _put_scale,
    ("scale", "patch"): _patch_scale,
    ("binding", "create"): _bind,
    ("eviction", "create"): _evict,
}
