"""Which verb on which resource or subresource is answered by what."""

from collections.abc import Callable, Mapping

from framework.apiserver.rest.answers import headers_of, shown, shown_page
from framework.apiserver.rest.context import Context
from framework.apiserver.rest.listing import get, list_page
from framework.apiserver.rest.places import NoSuchPath, refused_method
from framework.apiserver.rest.representation import JSON, Shape, check_single, shape_of, stored_bytes
from framework.apiserver.rest.versions import from_storage
from framework.apiserver.rest.watching import WatchStream, watch_request
from framework.apiserver.status import not_implemented
from framework.http.exchange import Answer
from framework.loading import LOADING

_OK = 200
_SUBRESOURCES = frozenset({"", "status", "finalize", "scale", "binding", "eviction"})
Route = Callable[[Context, Shape], Answer]


def route(context: Context) -> Answer:
    """Answer a request about a resource that exists; raises ApiError for what is wrong with it."""
    info, resource = context.info, context.resource
    if info.subresource not in _SUBRESOURCES:
        raise not_implemented(f"{resource.group_resource}/{'/'.join((info.subresource, *info.rest))}")
    if info.rest and not resource.is_custom:
        raise NoSuchPath(info.path)
    answer = _route(info.subresource, info.verb)
    if answer is None or (not info.subresource and info.verb not in resource.verbs):
        raise refused_method(context)
    accept = context.headers.get("accept", "")
    return answer(context, shape_of(accept, is_stream=info.verb == "watch"))


def _route(subresource: str, verb: str) -> Route | None:
    reads = _READS.get((subresource, verb))
    if reads is not None:
        return reads
    # Loaded by the first write: it is the larger part of the server, and would make up half of the time to start it.
    with LOADING:
        from framework.apiserver.rest.writing import WRITES

    return WRITES.get((subresource, verb))


def _get(context: Context, shape: Shape) -> Answer:
    record = get(context)
    if check_single(context.resource, shape).is_plain and shape.media_type is JSON and not context.query.flag("pretty"):
        return Answer(_OK, headers_of(shape), stored_bytes(context.resource, record))
    return shown(context, from_storage(context.resource, record), shape)


def _list(context: Context, shape: Shape) -> Answer:
    return shown_page(context, list_page(context), shape)


def _watch(context: Context, shape: Shape) -> Answer:
    stream = WatchStream(context, watch_request(context), shape)
    return Answer(_OK, headers_of(shape), stream=stream)


# By subresource and verb.
_READS: Mapping[tuple[str, str], Route] = {
    ("", "get"): _get,
    ("", "list"): _list,
    ("", "watch"): _watch,
    ("status", "get"): _get,
}
