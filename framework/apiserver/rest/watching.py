"""GET with watch=true: what there is, or what has come since a version, and then everything that comes."""

from collections.abc import Callable, Iterator

import msgspec

from framework.apiserver.fields import FieldError, forbidden_field, unsupported
from framework.apiserver.objects import GroupKind, Object
from framework.apiserver.rest.context import Context
from framework.apiserver.rest.listing import parse_own_version, too_large_version
from framework.apiserver.rest.representation import Shape, event_object, stored_bytes
from framework.apiserver.rest.selection import Selection, parse_selectors, selection_of
from framework.apiserver.status import expired, invalid, status_document
from framework.apiserver.storage import Change, Record, WindowExceeded
from framework.errors import ApiError

_encode = msgspec.json.Encoder().encode
INITIAL_EVENTS_END = "k8s.io/initial-events-end"
_FRESHNESS_SECONDS = 3.0
# So many objects of an initial state go into one read, so that nobody else waits long.
_BATCH = 500


class WatchRequest(msgspec.Struct, frozen=True):
    # 0: any; without initial events the watch then begins now.
    version: int
    sends_initial_events: bool
    wants_bookmarks: bool
    timeout_seconds: float


def watch_request(context: Context) -> WatchRequest:
    query = context.query
    text, match = query.get("resourceVersion"), query.get("resourceVersionMatch")
    sends_initial = query.flag("sendInitialEvents")
    says_initial = bool(query.all("sendInitialEvents"))
    if not says_initial and not match and text in {"", "0"}:
        # So it has always been; the words for it are new.
        says_initial, sends_initial, match = True, True, "NotOlderThan"
    _check_options(context, match, says_initial=says_initial)
    # Not used, and yet it must be a number.
    query.int64("limit")
    return WatchRequest(parse_own_version(text), sends_initial, query.flag("allowWatchBookmarks"), _timeout(context))


def _check_options(context: Context, match: str, *, says_initial: bool) -> None:
    query = context.query
    field = "resourceVersionMatch"
    errors: list[FieldError] = []
    if says_initial and match != "NotOlderThan":
        errors.append(forbidden_field(field, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan"))
    if match:
        if not says_initial:
            text = "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided"
            errors.append(forbidden_field(field, text))
        if match != "NotOlderThan":
            errors.append(unsupported(field, match, ["NotOlderThan"]))
        if query.get("continue"):
            errors.append(forbidden_field(field, "resourceVersionMatch is forbidden when continue is provided"))
    if errors:
        parse_selectors(context)
        raise invalid(GroupKind("meta.k8s.io", "ListOptions"), "", errors)


def _timeout(context: Context) -> float:
    seconds = context.query.int64("timeoutSeconds") or 0
    if seconds > 0:
        return float(seconds)
    services = context.services
    return services.watch_seconds * (1 + services.random.random())


class WatchStream:
    """The events of one watch, as an `EventStream`.

    It holds no events of its own, only a place in the table's window: a reader that falls out of the window is
    dropped, and a thousand watchers of one kind cost no more memory than one.
    """

    def __init__(self, context: Context, request: WatchRequest, shape: Shape) -> None:
        self._context = context
        self._shape = shape
        self._selection: Selection = selection_of(context)
        self._table = context.table
        self._storage = context.services.storage
        self._clock = context.services.clock
        self._request = request
        now = self._clock.monotonic()
        self._end_at = now + request.timeout_seconds
        self._bookmark_at = now + self._bookmark_pause()
        self._wake: Callable[[], None] | None = None
        self._initial: Iterator[Record] | None = None
        self._initial_revision = 0
        self._floor = request.version
        self._cursor = 0
        # The version that the reader has come to, and the one up to which it knows so.
        self._seen = self._told = request.version
        self._last_words: bytes | None = None
        self._is_over = False
        # Whether an event has told the columns of the table.
        self._has_header = False
        # A version from the future is waited for, but not for long.
        self._fresh_at = now + _FRESHNESS_SECONDS
        self._is_waiting = request.sends_initial_events and request.version > self._storage.revision
        if not self._is_waiting:
            self._begin()

    def _begin(self) -> None:
        with self._storage.lock:
            try:
                if self._request.sends_initial_events:
                    self._initial_revision = self._storage.revision
                    self._initial = iter([*self._initial_records()])
                    self._cursor = self._table.end_cursor()
                elif not self._request.version:
                    self._cursor = self._table.end_cursor()
                else:
                    self._cursor = self._table.cursor(self._request.version)
            except WindowExceeded as gap:
                message = f"too old resource version: {self._request.version} ({gap.oldest})"
                self._fail(expired(message))

    def _initial_records(self) -> Iterator[Record]:
        selection = self._selection
        for record in self._table.records(selection.namespace):
            if selection.matches_key(record) and selection.matches(record):
                yield record

    def read(self) -> bytes | None:
        if self._is_over:
            return None
        if self._is_waiting:
            self._wait_for_version()
        if self._last_words is not None:
            self._is_over = True
            return self._last_words
        if self._is_waiting:
            return b""
        if self._initial is not None:
            return self._initial_events()
        # Asked before the last events are read, so that they are all there: a definition goes after its objects.
        is_served = self._context.services.is_served(self._context.resource)
        events = self._live_events()
        if not is_served and not events:
            self._is_over = True
            return None
        return events

    def on_ready(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        with self._storage.lock:
            self._table.listen(wake)
        wake()

    @property
    def wake_at(self) -> float | None:
        if self._is_over:
            return None
        if self._is_waiting:
            return min(self._fresh_at, self._end_at)
        return min(self._bookmark_at, self._end_at) if self._request.wants_bookmarks else self._end_at

    def close(self) -> None:
        self._is_over = True
        if self._wake is not None:
            with self._storage.lock:
                self._table.ignore(self._wake)

    def _wait_for_version(self) -> None:
        if self._storage.revision >= self._request.version:
            self._is_waiting = False
            self._begin()
        elif self._clock.monotonic() >= self._fresh_at:
            self._fail(too_large_version(self._request.version, self._storage.revision))

    def _fail(self, error: ApiError) -> None:
        self._last_words = _frame("ERROR", _encode(status_document(error)))

    def _initial_events(self) -> bytes:
        frames: list[bytes] = []
        assert self._initial is not None  # noqa: S101 - the caller has looked
        for record in self._initial:
            frames.append(self._frame("ADDED", record, record.decode))
            if len(frames) == _BATCH:
                self._again()
                return b"".join(frames)
        self._initial = None
        self._seen = max(self._seen, self._initial_revision)
        if self._request.sends_initial_events and self._request.wants_bookmarks:
            frames.append(self._bookmark({INITIAL_EVENTS_END: "true"}))
        self._again()
        return b"".join(frames)

    def _again(self) -> None:
        if self._wake is not None:
            self._wake()

    def _live_events(self) -> bytes | None:
        with self._storage.lock:
            revision = self._storage.revision
            try:
                changes = self._table.changes_from(self._cursor)
            except WindowExceeded:
                # The reader is too slow: the stream ends without a word, as in the real server.
                self._is_over = True
                return None
            self._cursor += len(changes)
        frames = [frame for change in changes if (frame := self._event(change))]
        self._seen = max(self._seen, revision)
        now = self._clock.monotonic()
        if now >= self._end_at:
            if self._has_progress():
                frames.append(self._bookmark())
            self._last_words = b"".join(frames)
            self._is_over = True
            return self._last_words or None
        if now >= self._bookmark_at:
            self._bookmark_at = now + self._bookmark_pause()
            if self._has_progress():
                frames.append(self._bookmark())
        return b"".join(frames)

    def _event(self, change: Change) -> bytes | None:
        selection = self._selection
        if change.revision <= self._floor or not selection.matches_key(change.record):
            return None
        if not selection.has_selectors:
            return self._frame_of(change)
        return self._selected(change)

    def _selected(self, change: Change) -> bytes | None:
        """What the change is to those who see only what matches: an object may come or go without being touched."""
        matches_object = self._selection.matches_object
        is_deletion = change.type == "DELETED"
        matches_now = not is_deletion and matches_object(change.obj)
        matched_before = change.old is not None and matches_object(change.old)
        if matched_before:
            return self._frame_of(change) if matches_now or is_deletion else self._left(change)
        return self._frame("ADDED", change.record, lambda: change.obj) if matches_now else None

    def _left(self, change: Change) -> bytes:
        """Out of the selection: the old content under the new version."""
        assert change.previous is not None  # noqa: S101 - it matched
        old = change.previous.decode()
        old["metadata"]["resourceVersion"] = str(change.revision)
        record = Record(change.record.key, change.revision, _encode(old))
        return self._frame("DELETED", record, lambda: old)

    def _frame_of(self, change: Change) -> bytes:
        shape = self._shape
        if not shape.is_plain:
            return self._frame(change.type, change.record, lambda: change.obj)
        resource = self._context.resource
        return change.frame(resource.api_version, lambda: _frame(change.type, stored_bytes(resource, change.record)))

    def _frame(self, event_type: str, record: Record, decode: Callable[[], Object]) -> bytes:
        if self._shape.is_plain:
            return _frame(event_type, stored_bytes(self._context.resource, record))
        return _frame(event_type, _encode(self._shown(decode())))

    def _shown(self, stored: Object) -> Object:
        obj = event_object(self._context, stored, self._shape)
        if self._shape.target == "Table":
            if self._has_header:
                obj["columnDefinitions"] = None
            self._has_header = True
        return obj

    def _has_progress(self) -> bool:
        """Whether a bookmark would tell anything."""
        return self._request.wants_bookmarks and self._seen > self._told

    def _bookmark(self, annotations: dict[str, str] | None = None) -> bytes:
        resource = self._context.resource
        self._told = self._seen
        metadata: Object = {"resourceVersion": str(self._seen)}
        if annotations:
            metadata["annotations"] = annotations
        obj: Object = {"kind": resource.kind, "apiVersion": resource.api_version, "metadata": metadata}
        return _frame("BOOKMARK", _encode(self._shown(obj)))

    def _bookmark_pause(self) -> float:
        services = self._context.services
        return services.bookmark_seconds * (0.75 + 0.25 * services.random.random())


def _frame(event_type: str, obj: bytes) -> bytes:
    return b'{"type":"' + event_type.encode() + b'","object":' + obj + b"}\n"
