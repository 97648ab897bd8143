"""Watches of a real server that are cut, bent, silenced and ended: nothing is lost, nothing is seen twice."""

import msgspec
import pytest

from apis.core.v1 import ConfigMap, Secret
from apis.meta import ObjectMeta
from framework.client import Client
from framework.errors import Status
from framework.testing.relay import (
    Action,
    CutAfter,
    DropEvent,
    DuplicateEvent,
    EndCleanly,
    Fault,
    InjectEvent,
    Relay,
    ResetBefore,
    Respond,
    Stall,
    Trickle,
    error_event,
    expired,
    too_many_requests,
)
from tests.integration.informers.conftest import Observe
from tests.integration.informers.harness import WATCH, WATCH_LIST, Writer, versions

UTF8 = "ä€😀" * 50


def event(event_type: str, obj: Secret) -> bytes:
    metadata = msgspec.to_builtins(obj.metadata)
    return b'{"type":"%b","object":%b}\n' % (event_type.encode(), msgspec.json.encode({"metadata": metadata}))


def inject(after_events: int, line: bytes) -> InjectEvent:
    return InjectEvent(after_events=after_events, line=line)


def test_a_watch_that_ends_is_resumed_where_it_ended_without_a_list(
    observe: Observe, writer: Writer, relay: Relay
) -> None:
    ended = relay.inject(Fault(WATCH, EndCleanly(after_events=1)))
    observed = observe().synced()

    first = writer.create("a")
    ended.wait()
    writer.create("b")

    observed.recorder.wait_for("+a", "+b")
    assert versions(observed.watches)[1] == first.metadata.resource_version
    assert len(observed.lists) == 1
    assert observed.runtime.pauses == []


def test_the_stream_that_brought_the_state_is_resumed_without_the_state(
    observe: Observe, writer: Writer, relay: Relay
) -> None:
    ended = relay.inject(Fault(WATCH_LIST, EndCleanly(after_events=2)))
    observed = observe(use_watch_list=True).synced()

    first = writer.create("a")
    ended.wait()
    writer.create("b")

    observed.recorder.wait_for("+a", "+b")
    assert versions(observed.watches) == [first.metadata.resource_version]
    assert len(observed.watch_lists) == 1


@pytest.mark.parametrize("reset", [True, False])
def test_a_cut_anywhere_in_a_line_loses_nothing_and_repeats_nothing(
    observe: Observe, writer: Writer, relay: Relay, *, reset: bool
) -> None:
    offsets = [0, 1, 2, 40, 200, *range(300, 312), 400]
    for number, offset in enumerate(offsets, start=1):
        relay.inject(Fault(WATCH, CutAfter(events=1, extra_bytes=offset, reset=reset), nth=number))
    observed = observe().synced()
    names = [f"object-{number:02}" for number in range(len(offsets) + 2)]

    made = [writer.create(name, annotations={"0": UTF8}) for name in names]

    observed.recorder.wait_for(*(f"+{name}" for name in names))
    assert {observed.recorder.new(n).metadata.annotations["0"] for n in range(len(names))} == {UTF8}
    resumed = [one.metadata.resource_version for one in made[: len(offsets)]]
    assert versions(observed.watches)[1:] == resumed
    assert len(observed.lists) == 1
    assert observed.informer.ignored_events == 0


@pytest.mark.parametrize("count", [0, 1, 100, 700])
def test_a_reset_in_the_middle_of_a_chunk_loses_nothing(
    observe: Observe, writer: Writer, relay: Relay, count: int
) -> None:
    cut = relay.inject(Fault(WATCH, CutAfter(bytes=count)))
    observed = observe().start()
    observed.wait_until(lambda: observed.registration.has_synced)

    for name in "abc":
        writer.create(name)
    cut.wait()

    observed.recorder.wait_for("+a", "+b", "+c")
    assert len(observed.lists) == 1


def test_a_line_that_comes_in_many_pieces_is_one_event(observe: Observe, writer: Writer, relay: Relay) -> None:
    relay.inject(Fault(WATCH, Trickle(bytes_per_write=7, interval_seconds=0.0)))
    observed = observe().synced()

    writer.create("a", annotations={"text": UTF8})

    observed.recorder.wait_for("+a")
    assert observed.recorder.new(0).metadata.annotations == {"text": UTF8}


def test_empty_lines_and_two_events_in_one_piece_are_read(observe: Observe, writer: Writer, relay: Relay) -> None:
    made = [writer.create("a"), writer.create("b")]
    observed = observe().synced()
    version = observed.informer.version
    observed.informer.stop()
    newer = [msgspec.structs.replace(one.metadata, resource_version=str(version + 1)) for one in made]
    lines = b"".join(event("MODIFIED", Secret(metadata=metadata)) for metadata in newer)
    relay.inject(Fault(WATCH, inject(0, b"\n\n" + lines + b"\n")))

    observed.start()

    observed.recorder.wait_for("+a", "+b", "~a", "~b")
    assert observed.failures("TransportError") == 0


@pytest.mark.parametrize("large", [500_000, 1_000_000])
def test_a_large_object_arrives_whole(
    observe: Observe, client: Client, namespace: str, relay: Relay, large: int
) -> None:
    observed = observe(ConfigMap, fields="metadata.name=large")
    observed.start()
    relay.wait_for(lambda request: request.query.get("watch") == "true" and request.status == 200)

    made = ConfigMap(metadata=ObjectMeta(name="large", namespace=namespace), data={"x": "y" * large})
    client.create(made)

    observed.recorder.wait_for("+large")
    assert observed.recorder.new(0).data == made.data


def test_an_unknown_type_of_event_is_counted_and_passed_over(observe: Observe, writer: Writer, relay: Relay) -> None:
    relay.inject(Fault(WATCH, inject(1, b'{"type":"RENAMED","object":{"kind":"Secret"}}')))
    observed = observe().synced()

    writer.create("a")
    writer.create("b")

    observed.recorder.wait_for("+a", "+b")
    assert observed.failures("UnknownEventType") == 1
    assert len(observed.watches) == 1


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"ADDED","object":',
        b'{"type":"ADDED","object":{"metadata":{"name":"x"}}}',
        b'{"type":"ADDED","object":[]}',
        b"<html>502</html>",
    ],
)
def test_a_broken_line_restarts_the_watch_from_the_last_good_event(
    observe: Observe, writer: Writer, relay: Relay, line: bytes
) -> None:
    broken = relay.inject(Fault(WATCH, inject(1, line)))
    observed = observe().synced()

    first = writer.create("a")
    broken.wait()
    writer.create("b")

    observed.recorder.wait_for("+a", "+b")
    assert versions(observed.watches)[1] == first.metadata.resource_version
    assert len(observed.lists) == 1
    assert observed.failures("TransportError") == 1


def test_an_event_that_comes_twice_is_one_change(observe: Observe, writer: Writer, relay: Relay) -> None:
    relay.inject(Fault(WATCH, DuplicateEvent(nth=1)))
    observed = observe().synced()

    writer.create("a")
    writer.create("b")

    observed.recorder.wait_for("+a", "+b")
    assert observed.informer.ignored_events == 1


@pytest.mark.parametrize("event_type", ["ADDED", "MODIFIED", "DELETED"])
def test_an_older_event_does_not_move_the_cache_back(
    observe: Observe, writer: Writer, relay: Relay, event_type: str
) -> None:
    old = writer.create("a")
    new = writer.annotate("a", "new")
    relay.inject(Fault(WATCH, inject(1, event(event_type, old))))
    observed = observe().synced()

    writer.create("b")
    writer.create("c")

    observed.recorder.wait_for("+a", "+b", "+c")
    assert observed.informer.ignored_events == 1
    (cached,) = (one for one in observed.informer.lister.list() if one.key.name == "a")
    assert cached.metadata.resource_version == new.metadata.resource_version


def test_a_late_event_does_not_bring_back_what_was_deleted(observe: Observe, writer: Writer, relay: Relay) -> None:
    old = writer.create("a")
    relay.inject(Fault(WATCH, inject(1, event("MODIFIED", old))))
    observed = observe().synced()

    writer.delete("a")
    writer.create("b")

    observed.recorder.wait_for("+a", "-a", "+b")
    assert observed.cached == {"b"}
    assert observed.informer.ignored_events == 1


def test_the_deletion_of_something_unknown_is_ignored(observe: Observe, writer: Writer, relay: Relay) -> None:
    unknown = Secret(metadata=ObjectMeta(name="x", namespace=writer.namespace, uid="u", resource_version="999999999"))
    relay.inject(Fault(WATCH, inject(0, event("DELETED", unknown))))
    observed = observe().synced()

    writer.create("a")

    observed.recorder.wait_for("+a")
    assert observed.informer.ignored_events == 1


def test_an_object_whose_creation_was_not_seen_is_created_by_its_first_change(
    observe: Observe, writer: Writer, relay: Relay
) -> None:
    relay.inject(Fault(WATCH, DropEvent(nth=1)))
    observed = observe().synced()

    writer.create("a")
    changed = writer.annotate("a", "x")

    observed.recorder.wait_for("+a")
    assert observed.recorder.new(0).metadata.resource_version == changed.metadata.resource_version


def test_a_recreation_of_which_only_the_end_was_seen_is_a_deletion_and_a_creation(
    observe: Observe, writer: Writer, relay: Relay
) -> None:
    old = writer.create("a")
    relay.inject(Fault(WATCH, DropEvent(nth=1)))
    observed = observe().synced()

    writer.delete("a")
    new = writer.create("a")

    observed.recorder.wait_for("+a", "-a", "+a")
    assert observed.recorder.old(1).metadata.uid == old.metadata.uid
    assert observed.recorder.new(2).metadata.uid == new.metadata.uid


def test_a_watch_is_resumed_from_a_bookmark(observe: Observe, writer: Writer, relay: Relay) -> None:
    observed = observe().synced()
    relay.cut()
    writer.create("a")
    version = writer.version()
    line = b'{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"%d"}}}\n' % version
    relay.inject(Fault(WATCH, InjectEvent(after_events=0, line=line, then_end=True)))

    relay.restore()
    observed.wait_until(lambda: str(version) in versions(observed.watches))

    assert observed.informer.version == version
    assert len(observed.lists) == 1


def test_a_watch_that_ends_at_once_is_no_tight_loop_and_is_followed_by_a_list_at_the_second(
    observe: Observe, writer: Writer, relay: Relay
) -> None:
    relay.inject(Fault(WATCH, EndCleanly(after_events=0), times=2))
    observed = observe().start()
    observed.wait_until(lambda: len(observed.watches) == 3)

    writer.create("a")

    observed.recorder.wait_for("+a")
    kinds = ["watch" in request.query for request in relay.requests]
    assert kinds == [False, True, True, False, True]
    first, second = observed.runtime.pauses
    assert 0.8 <= first <= 1.6 <= second <= 3.2


@pytest.mark.parametrize("how", ["stall", "freeze"])
def test_a_dead_stream_is_noticed_and_resumed(observe: Observe, writer: Writer, relay: Relay, how: str) -> None:
    if how == "stall":
        relay.inject(Fault(WATCH, Stall(after_events=1)))
    observed = observe(silence_seconds=3.0).synced()
    first = writer.create("a")
    observed.recorder.wait_for("+a")
    if how == "freeze":
        relay.freeze()

    writer.create("b")
    if how == "freeze":
        observed.wait_until(lambda: observed.informer.problem is not None)
        relay.restore()

    observed.recorder.wait_for("+a", "+b")
    assert versions(observed.watches)[1] == first.metadata.resource_version
    assert len(observed.lists) == 1


@pytest.mark.parametrize(
    "action",
    [
        Respond(500, reason="InternalError"),
        Respond(503, body=b"<html>Service Unavailable</html>"),
        Respond(502, body=b""),
        too_many_requests(retry_after="2"),
        too_many_requests(retry_after="5", close=True),
        Respond(403, reason="Forbidden"),
        ResetBefore(),
        InjectEvent(after_events=0, line=error_event(Status(code=500, reason="InternalError")), then_end=True),
        InjectEvent(after_events=0, line=error_event(Status(code=429, reason="TooManyRequests")), then_end=True),
    ],
    ids=["500", "503-html", "502-empty", "429", "429-close", "403", "reset", "500-event", "429-event"],
)
def test_a_watch_that_does_not_work_now_is_tried_again_in_place(
    observe: Observe, writer: Writer, relay: Relay, action: Action
) -> None:
    relay.inject(Fault(WATCH, action, times=3))
    observed = observe().start()
    observed.wait_until(lambda: len(observed.watches) == 4)

    writer.create("a")

    observed.recorder.wait_for("+a")
    assert len(observed.lists) == 1
    assert len(set(versions(observed.watches))) == 1
    # libcurl itself repeats a read whose kept connection turns out to be dead.
    assert len(observed.runtime.pauses) in ({2, 3} if action == ResetBefore() else {3})
    asked = action.headers.get("Retry-After", "0") if isinstance(action, Respond) else "0"
    assert min(observed.runtime.pauses) >= max(0.8, float(asked))


def test_a_watch_that_the_server_finds_wrong_is_followed_by_a_list(
    observe: Observe, writer: Writer, relay: Relay
) -> None:
    relay.inject(Fault(WATCH, Respond(400, reason="BadRequest")))
    observed = observe().start()
    observed.wait_until(lambda: len(observed.watches) == 2)

    writer.create("a")

    observed.recorder.wait_for("+a")
    assert len(observed.lists) == 2


@pytest.mark.parametrize("use_watch_list", [True, False])
def test_what_happened_behind_a_cut_comes_as_exactly_the_differences(
    observe: Observe, writer: Writer, relay: Relay, *, use_watch_list: bool
) -> None:
    for name in ("changed", "deleted", "recreated", "same"):
        writer.create(name)
    # In list mode the watch that is cut is the first one.
    relay.inject(Fault(WATCH, expired(), nth=1 if use_watch_list else 2))
    observed = observe(use_watch_list=use_watch_list).synced()
    observed.recorder.changes.clear()

    relay.cut()
    (old,) = (one for one in observed.informer.lister.list() if one.key.name == "recreated")
    writer.annotate("changed", "x")
    writer.delete("deleted")
    writer.delete("recreated")
    new = writer.create("recreated")
    writer.create("created")
    writer.create("passing")
    writer.delete("passing")
    relay.restore()

    observed.wait_until(lambda: len(observed.recorder.changes) >= 5)
    texts = observed.recorder.texts
    assert sorted(texts) == ["+created", "+recreated", "-deleted", "-recreated", "~changed"]
    assert texts.index("-recreated") < texts.index("+recreated")
    assert observed.recorder.old(texts.index("-recreated")).metadata.uid == old.metadata.uid
    assert observed.recorder.new(texts.index("+recreated")).metadata.uid == new.metadata.uid
    assert not any(change.is_initial for change in observed.recorder.changes)
    assert observed.cached == {"changed", "recreated", "same", "created"}
