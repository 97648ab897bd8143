"""What is asked of a real server to learn the whole state, and what happens when it is refused."""

import msgspec
import pytest

from framework.errors import Status
from framework.testing.relay import (
    CutAfter,
    EndCleanly,
    Fault,
    InjectEvent,
    Match,
    Relay,
    Respond,
    RewriteQuery,
    Stall,
    error_event,
    expired,
    too_large_resource_version,
)
from tests.integration.informers.conftest import Observe
from tests.integration.informers.harness import LIST, WATCH, WATCH_LIST, Writer, versions

NOT_OLDER = "NotOlderThan"
BAD_WATCH = Respond(400, reason="BadRequest", message="no such watch")


def test_the_initial_state_is_streamed_without_a_list(observe: Observe, writer: Writer) -> None:
    writer.create("a")
    writer.create("b")

    observed = observe(use_watch_list=True).synced()

    assert observed.cached == {"a", "b"}
    assert sorted(observed.recorder.texts) == ["+a", "+b"]
    assert all(change.is_initial for change in observed.recorder.changes)
    (request,) = observed.relay.requests
    assert request.query["sendInitialEvents"] == "true"
    assert request.query["resourceVersionMatch"] == NOT_OLDER
    assert request.query["resourceVersion"] == ""
    assert request.query["allowWatchBookmarks"] == "true"
    assert 300 <= int(request.query["timeoutSeconds"]) <= 600


def test_the_same_stream_goes_on_with_changes(observe: Observe, writer: Writer) -> None:
    observed = observe(use_watch_list=True).synced()

    writer.create("a")
    writer.annotate("a", "x")
    writer.delete("a")

    observed.recorder.wait_for("+a", "~a", "-a")
    assert not any(change.is_initial for change in observed.recorder.changes)
    assert len(observed.relay.requests) == 1


@pytest.mark.parametrize("refusal", [Respond(422, reason="Invalid"), Respond(400, reason="BadRequest")])
def test_a_server_that_refuses_to_stream_the_state_is_listed(
    observe: Observe, writer: Writer, relay: Relay, refusal: Respond
) -> None:
    writer.create("a")
    refused = relay.inject(Fault(WATCH_LIST, refusal, times=None))

    observed = observe(use_watch_list=True).synced()

    assert observed.cached == {"a"}
    assert refused.fired == 1
    assert versions(observed.lists) == ["0"]
    assert observed.runtime.pauses == []


def test_nothing_of_a_state_that_is_not_complete_is_shown(observe: Observe, writer: Writer, relay: Relay) -> None:
    writer.create("a")
    writer.create("b")
    stalled = relay.inject(Fault(WATCH_LIST, Stall(after_events=1)))

    observed = observe(use_watch_list=True).start()
    stalled.wait()
    before = observed.informer.has_synced, observed.cached, observed.informer.problem
    relay.release()
    observed.synced()

    assert before == (False, set(), "the initial list is not complete")
    assert observed.cached == {"a", "b"}


@pytest.mark.parametrize("events", [0, 1, 2, 3])
def test_a_cut_in_the_middle_of_the_state_is_not_resumed_from_any_of_its_versions(
    observe: Observe, writer: Writer, relay: Relay, events: int
) -> None:
    for name in "abc":
        writer.create(name)
    cut = relay.inject(Fault(WATCH_LIST, CutAfter(events=events, extra_bytes=20)))

    observed = observe(use_watch_list=True).synced()

    assert cut.fired == 1
    assert versions(observed.watch_lists) == ["", ""]
    assert observed.watches == []
    assert sorted(observed.recorder.texts) == ["+a", "+b", "+c"]


def test_a_state_that_ends_before_it_is_complete_is_asked_for_again(
    observe: Observe, writer: Writer, relay: Relay
) -> None:
    for name in "abc":
        writer.create(name)
    relay.inject(Fault(WATCH_LIST, EndCleanly(after_events=2)))

    observed = observe(use_watch_list=True).synced()

    assert len(observed.watch_lists) == 2
    assert observed.cached == {"a", "b", "c"}


def test_the_first_list_may_be_any_state_and_the_watch_begins_where_it_ends(observe: Observe, writer: Writer) -> None:
    made = writer.create("a")

    observed = observe().synced()

    (first,) = observed.lists
    assert first.query == {"limit": "500", "resourceVersion": "0", "resourceVersionMatch": NOT_OLDER}
    assert int(observed.watches[0].query["resourceVersion"]) >= int(made.metadata.resource_version)


def test_a_later_list_is_not_older_than_what_was_seen(observe: Observe, writer: Writer, relay: Relay) -> None:
    relay.inject(Fault(WATCH, EndCleanly(after_events=1)))
    relay.inject(Fault(WATCH, BAD_WATCH, nth=2))
    observed = observe().synced()

    made = writer.create("a")
    relay.wait_for(lambda request: request in observed.lists[1:])

    assert observed.lists[1].query == {
        "resourceVersion": made.metadata.resource_version,
        "resourceVersionMatch": NOT_OLDER,
    }
    observed.recorder.wait_for("+a")


def test_a_list_is_read_in_pages_of_one_state(observe: Observe, writer: Writer, relay: Relay) -> None:
    for name in "abcde":
        writer.create(name)
    relay.inject(Fault(LIST, expired()))

    observed = observe(page_size=2).synced()

    pages = [request.query for request in observed.lists[1:]]
    assert [page["limit"] for page in pages] == ["2", "2", "2"]
    assert ["continue" in page for page in pages] == [False, True, True]
    assert observed.cached == set("abcde")


def test_an_expired_page_is_followed_by_the_whole_list_at_once(observe: Observe, writer: Writer, relay: Relay) -> None:
    for name in "abcde":
        writer.create(name)
    body = {"kind": "Status", "code": 410, "reason": "Expired", "metadata": {"continue": "fresh-token"}}
    relay.inject(Fault(LIST, expired()))
    relay.inject(Fault(LIST, Respond(410, body=msgspec.json.encode(body)), nth=3))

    observed = observe(page_size=2).synced()

    first, _, fallback = (request.query for request in observed.lists[1:])
    assert "continue" not in first
    assert fallback == {}
    assert not any(request.query.get("continue") == "fresh-token" for request in observed.lists)
    assert observed.cached == set("abcde")


def test_an_expired_list_is_asked_for_in_its_newest_state(observe: Observe, writer: Writer, relay: Relay) -> None:
    writer.create("a")
    relay.inject(Fault(LIST, expired()))

    observed = observe().synced()

    assert versions(observed.lists) == ["0", None]
    assert observed.lists[1].query == {"limit": "500"}
    assert observed.failures("Expired") == 1


def test_an_expired_stream_of_the_state_is_asked_for_in_its_newest_state(
    observe: Observe, writer: Writer, relay: Relay
) -> None:
    writer.create("a")
    relay.inject(Fault(WATCH_LIST, InjectEvent(after_events=1, line=_expired_event(), then_end=True)))

    observed = observe(use_watch_list=True).synced()

    assert versions(observed.watch_lists) == ["", ""]
    assert observed.recorder.texts == ["+a"]


@pytest.mark.parametrize("use_watch_list", [True, False])
@pytest.mark.parametrize("is_event", [True, False])
def test_an_expired_watch_is_followed_by_the_newest_state(
    observe: Observe, writer: Writer, relay: Relay, *, is_event: bool, use_watch_list: bool
) -> None:
    relay.inject(Fault(WATCH_LIST if use_watch_list else WATCH, EndCleanly(after_events=2 if use_watch_list else 1)))
    late = InjectEvent(after_events=0, line=_expired_event(), then_end=True)
    relay.inject(Fault(WATCH, late if is_event else expired(), nth=1 if use_watch_list else 2))
    observed = observe(use_watch_list=use_watch_list).synced()

    writer.create("a")
    observed.wait_until(lambda: len(observed.watch_lists if use_watch_list else observed.lists) == 2)
    observed.wait_until(lambda: observed.informer.problem is None)
    writer.delete("a")

    observed.recorder.wait_for("+a", "-a")
    assert versions(observed.watch_lists if use_watch_list else observed.lists)[1] == ("" if use_watch_list else None)
    assert observed.failures("Expired") == 1


@pytest.mark.parametrize("use_watch_list", [True, False])
def test_a_version_from_the_future_is_given_up_at_once(
    observe: Observe, writer: Writer, relay: Relay, *, use_watch_list: bool
) -> None:
    writer.create("a")
    initial = WATCH_LIST if use_watch_list else LIST
    relay.inject(Fault(initial, too_large_resource_version()))

    observed = observe(use_watch_list=use_watch_list).synced()

    assert versions(observed.watch_lists if use_watch_list else observed.lists) == (
        ["", ""] if use_watch_list else ["0", None]
    )
    assert observed.cached == {"a"}


def test_a_watch_from_the_future_is_followed_by_the_newest_state(
    observe: Observe, writer: Writer, relay: Relay
) -> None:
    writer.create("a")
    relay.inject(Fault(WATCH, too_large_resource_version()))

    observed = observe().synced()

    observed.wait_until(lambda: len(observed.watches) == 2)
    assert versions(observed.lists) == ["0", None]
    assert observed.recorder.texts == ["+a"]


def test_a_server_that_watches_in_silence_for_a_version_it_does_not_have_is_found_out(
    observe: Observe, writer: Writer, relay: Relay
) -> None:
    future = RewriteQuery({"resourceVersion": "999999999999"})
    relay.inject(Fault(WATCH, future, times=2))
    asked = relay.inject(Fault(_asking(), future))
    observed = observe(silence_seconds=3.0).synced()

    made = writer.create("a")
    asked.wait()

    observed.recorder.wait_for("+a")
    assert versions(observed.lists)[-1] is None
    assert [request.upstream_status for request in observed.lists][-2:] == [504, 200]
    assert observed.informer.version >= int(made.metadata.resource_version)


def _asking() -> Match:
    return msgspec.structs.replace(LIST, query={**LIST.query, "limit": "1"})


def _expired_event() -> bytes:
    return error_event(Status(code=410, reason="Expired", message="too old resource version: 1 (2)"))
