"""One API server of several in front of one store: its watch cache may stop, and then answers from the past.

As in the real server, only what may come from the watch cache is old: watches, and lists and gets that name a version
they shall not be older than. Writes, and reads that name none, go to the store.
"""

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl, urlencode

import msgspec

from framework.apiserver.objects import GroupResource
from framework.apiserver.rest.listing import too_large_version
from framework.apiserver.rest.request_info import RequestInfo, request_info
from framework.apiserver.rest.watching import INITIAL_EVENTS_END
from framework.apiserver.server import ApiServer, error_answer
from framework.apiserver.status import not_found, status_document
from framework.clock import Clock
from framework.http.exchange import Answer, EventStream, ServerRequest

# How long the real server waits for its cache to reach the version that a client asks for.
_FRESHNESS_SECONDS = 3.0
_FIRST_NOT_OK = 300
_ANY_VERSION = frozenset({"", "0"})

Query = dict[str, str]


class Replica:
    """The server that one process talks to, over all its lives."""

    def __init__(self, server: ApiServer, clock: Clock) -> None:
        self._server = server
        self._clock = clock
        self._stopped_at = 0
        self._goes_on_at = 0.0
        self._streams: list[_ReplicaStream] = []

    def stop_cache(self, revision: int, seconds: float) -> None:
        """Know nothing after *revision* for *seconds*."""
        self._stopped_at = revision
        self._goes_on_at = self._clock.monotonic() + seconds
        for stream in self._streams:
            # It waits for a moment that has changed.
            stream.wake()

    def disconnect(self) -> None:
        """End all watches, as a server does that goes down; who comes again finds another one."""
        for stream in list(self._streams):
            stream.cut()

    @property
    def newest(self) -> int:
        """What the store has come to."""
        return self._server.storage.revision

    @property
    def goes_on_at(self) -> float | None:
        """None while the cache follows the store."""
        return self._goes_on_at if self._clock.monotonic() < self._goes_on_at else None

    def has_reached(self, revision: int) -> bool:
        return self.goes_on_at is None or revision <= self._stopped_at

    def handle(self, request: ServerRequest) -> Answer:
        if request.method != "GET":
            return self._server.handle(request)
        path, _, text = request.target.partition("?")
        query = dict(parse_qsl(text, keep_blank_values=True))
        is_watch = query.get("watch") == "true"
        info = request_info(request.method, path, is_watch=is_watch)
        if not info.is_resource or info.subresource:
            return self._server.handle(request)
        if is_watch:
            return self._watch(request, path, query)
        return self._get(request, info, query) if info.name else self._list(request, path, query)

    def may_block(self, _request: ServerRequest) -> bool:
        return True

    def open(self, stream: "_ReplicaStream") -> None:
        self._streams.append(stream)

    def close(self, stream: "_ReplicaStream") -> None:
        if stream in self._streams:
            self._streams.remove(stream)

    def _list(self, request: ServerRequest, path: str, query: Query) -> Answer:
        version, match = query.get("resourceVersion", ""), query.get("resourceVersionMatch", "")
        is_page = bool(version != "0" and not match and query.get("limit"))
        if not version or match == "Exact" or is_page or query.get("continue"):
            return self._server.handle(request)
        if not self._wait_for(int(version)):
            return self._too_large(int(version))
        if self.goes_on_at is None:
            return self._server.handle(request)
        return self._server.handle(self._at_the_stop(request, path, query))

    def _get(self, request: ServerRequest, info: RequestInfo, query: Query) -> Answer:
        version = query.get("resourceVersion", "")
        if not version:
            return self._server.handle(request)
        if not self._wait_for(int(version)):
            return self._too_large(int(version))
        if self.goes_on_at is None:
            return self._server.handle(request)
        collection = request.target.partition("?")[0].rpartition("/")[0]
        selected = {"resourceVersion": version, "fieldSelector": f"metadata.name={info.name}"}
        answer = self._server.handle(self._at_the_stop(request, collection, selected))
        if answer.status >= _FIRST_NOT_OK:
            return answer
        found = _items(answer)
        if not found:
            return error_answer(not_found(GroupResource(info.group, info.resource), info.name))
        return Answer(200, answer.headers, msgspec.json.encode(found[0]))

    def _watch(self, request: ServerRequest, path: str, query: Query) -> Answer:
        version, asks_for_state = query.get("resourceVersion", ""), query.get("sendInitialEvents") == "true"
        if asks_for_state:
            # Without a version the state must be the newest there is.
            required = int(version) if version else self._server.storage.revision
            if not self._wait_for(required):
                error = too_large_version(required, self._stopped_at)
                return Answer(200, _JSON, stream=_LastWords(_frame("ERROR", status_document(error))))
        if self.goes_on_at is None or not (asks_for_state or version in _ANY_VERSION):
            return self._streamed(self._server.handle(request))
        state = self._server.handle(self._at_the_stop(request, path, query))
        if state.status >= _FIRST_NOT_OK:
            return state
        head = b"".join(_frame("ADDED", item) for item in _items(state))
        if asks_for_state and query.get("allowWatchBookmarks") == "true":
            head += _frame("BOOKMARK", self._end_of_state(state))
        rest = _without(query, "sendInitialEvents", "resourceVersionMatch") | {"resourceVersion": str(self._stopped_at)}
        return self._streamed(self._server.handle(_targeted(request, path, rest)), head)

    def _streamed(self, answer: Answer, head: bytes = b"") -> Answer:
        if answer.stream is None:
            return answer
        return msgspec.structs.replace(answer, stream=_ReplicaStream(self, answer.stream, head))

    def _wait_for(self, revision: int) -> bool:
        limit = self._clock.monotonic() + _FRESHNESS_SECONDS
        while not self.has_reached(revision):
            now = self._clock.monotonic()
            if now >= limit:
                return False
            self._clock.wait(min(limit, self._goes_on_at) - now)
        return True

    def _too_large(self, revision: int) -> Answer:
        return error_answer(too_large_version(revision, self._stopped_at))

    def _at_the_stop(self, request: ServerRequest, path: str, query: Query) -> ServerRequest:
        """A list of what there was when the cache stopped."""
        selectors = {name: value for name, value in query.items() if name.endswith("Selector")}
        exact = {"resourceVersion": str(self._stopped_at), "resourceVersionMatch": "Exact"}
        accept = request.headers.get("accept", "").replace("as=PartialObjectMetadata;", "as=PartialObjectMetadataList;")
        as_list = msgspec.structs.replace(request, headers={**request.headers, "accept": accept})
        return _targeted(as_list, path, selectors | exact)

    def _end_of_state(self, state: Answer) -> dict[str, Any]:
        whole = msgspec.json.decode(state.body)
        metadata = {"resourceVersion": str(self._stopped_at), "annotations": {INITIAL_EVENTS_END: "true"}}
        return {**_head(whole), "metadata": metadata}


class _ReplicaStream:
    """A watch that brings nothing from after the stop of its server's cache, until that goes on."""

    def __init__(self, replica: Replica, inner: EventStream, head: bytes) -> None:
        self._replica = replica
        self._inner = inner
        # In order; what is at the front and may be shown goes first.
        self._lines = head.splitlines(keepends=True)
        self._is_cut = False
        self.wake: Callable[[], None] = _nobody_waits
        replica.open(self)

    def read(self) -> bytes | None:
        if self._is_cut:
            return None
        chunk = self._inner.read()
        if chunk is None and not self._lines:
            return None
        if self._replica.goes_on_at is None and not self._lines:
            return chunk
        self._lines += (chunk or b"").splitlines(keepends=True)
        shown = 0
        while shown < len(self._lines) and self._replica.has_reached(_version(self._lines[shown])):
            shown += 1
        whole = b"".join(self._lines[:shown])
        del self._lines[:shown]
        # What is still held back when the server ends the watch comes with the next one.
        return None if chunk is None and not whole else whole

    def on_ready(self, wake: Callable[[], None]) -> None:
        self.wake = wake
        self._inner.on_ready(wake)

    @property
    def wake_at(self) -> float | None:
        moments = [at for at in (self._inner.wake_at, self._replica.goes_on_at) if at is not None]
        return min(moments, default=None)

    def cut(self) -> None:
        self._is_cut = True
        self.wake()

    def close(self) -> None:
        self._replica.close(self)
        self._inner.close()


class _LastWords:
    """A watch that says one thing and ends."""

    wake_at = None

    def __init__(self, line: bytes) -> None:
        self._left: bytes | None = line

    def read(self) -> bytes | None:
        line, self._left = self._left, None
        return line

    def on_ready(self, wake: Callable[[], None]) -> None:
        wake()

    def close(self) -> None:
        return


class _Version(msgspec.Struct, frozen=True, rename="camel"):
    resource_version: str = "0"


class _Object(msgspec.Struct, frozen=True):
    metadata: _Version = _Version()


class _Event(msgspec.Struct, frozen=True):
    object: _Object


_JSON = {"Cache-Control": "no-cache, private", "Content-Type": "application/json"}
_decode_event = msgspec.json.Decoder(_Event).decode


def _version(line: bytes) -> int:
    """0 for what has none, such as an error."""
    return int(_decode_event(line).object.metadata.resource_version or 0)


def _frame(event_type: str, obj: Any) -> bytes:
    return msgspec.json.encode({"type": event_type, "object": obj}) + b"\n"


def _items(answer: Answer) -> list[dict[str, Any]]:
    """Of a list, with the kind that items of a list may lack."""
    whole = msgspec.json.decode(answer.body)
    return [{**_head(whole), **item} for item in whole["items"] or ()]


def _head(whole: dict[str, Any]) -> dict[str, Any]:
    return {"kind": whole["kind"].removesuffix("List"), "apiVersion": whole["apiVersion"]}


def _without(query: Query, *names: str) -> Query:
    return {name: value for name, value in query.items() if name not in names}


def _targeted(request: ServerRequest, path: str, query: Query) -> ServerRequest:
    return msgspec.structs.replace(request, target=f"{path}?{urlencode(query)}")


def _nobody_waits() -> None:
    return
