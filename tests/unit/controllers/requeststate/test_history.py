from datetime import timedelta
from itertools import pairwise

import pytest

from apis.meta import time_of
from apis.requeststate.v1 import HISTORY_LIMIT, MESSAGE_LIMIT, HistoryEntry, State
from controllers.requeststate.history import recorded_outcome, recorded_state, with_entry
from tests.unit.controllers.requeststate.builders import NOW, a_request, an_entry

FUTURE = "2030-01-01T00:00:00.000000Z"


def test_an_entry_tells_job_state_worker_and_time() -> None:
    (entry,) = with_entry([], "JOB1", State.STARTED, now=NOW, worker="me")

    assert (entry.job, entry.state, entry.worker) == ("JOB1", State.STARTED, "me")
    assert entry.timestamp == "2026-01-01T00:00:00.000000Z"


def test_a_clock_that_went_back_does_not_make_times_decrease() -> None:
    history = with_entry([an_entry(timestamp=FUTURE)], "JOB1", State.COMPLETED, now=NOW, worker="me")

    assert history[-1].timestamp == FUTURE


@pytest.mark.parametrize("nonsense", ["", "yesterday", "0000-12-31T00:00:00Z", "9999-12-31T23:59:59-12:00"])
def test_a_time_that_cannot_be_read_is_passed_over_for_the_one_before_it(nonsense: str) -> None:
    edited = [an_entry(timestamp=FUTURE), an_entry(timestamp=nonsense)]

    history = with_entry(edited, "JOB1", State.COMPLETED, now=NOW, worker="me")

    assert history[-1].timestamp == FUTURE


def test_a_history_without_readable_times_starts_with_now() -> None:
    history = with_entry([an_entry(timestamp="?")], "JOB1", State.COMPLETED, now=NOW, worker="me")

    assert time_of(history[-1].timestamp) == NOW


def test_a_message_is_cut_to_what_the_server_accepts() -> None:
    (entry,) = with_entry([], "JOB1", State.FAILED, now=NOW, worker="me", message="x" * 5000)

    assert len(entry.message) == MESSAGE_LIMIT


def test_entries_beyond_the_limit_are_folded_into_one_with_their_count() -> None:
    history: list[HistoryEntry] = []

    for number in range(HISTORY_LIMIT + 250):
        now = NOW + timedelta(seconds=number)
        history = with_entry(history, f"JOB{number}", State.STARTED, now=now, worker="me")

    assert len(history) == HISTORY_LIMIT
    assert history[0].message == "251 earlier entries folded into this one"
    assert [entry.job for entry in history[1:3]] == ["JOB251", "JOB252"]
    assert all(time_of(one.timestamp) <= time_of(other.timestamp) for one, other in pairwise(history))


def test_a_history_that_was_too_long_already_is_folded_at_once() -> None:
    history = with_entry([an_entry()] * (HISTORY_LIMIT + 9), "JOB1", State.COMPLETED, now=NOW, worker="me")

    assert len(history) == HISTORY_LIMIT
    assert history[0].message.startswith("11 ")


def test_a_fold_whose_count_was_edited_by_hand_counts_as_one_entry() -> None:
    edited = [an_entry(message="many earlier entries folded into this one"), *[an_entry()] * (HISTORY_LIMIT - 1)]

    history = with_entry(edited, "JOB1", State.COMPLETED, now=NOW, worker="me")

    assert history[0].message.startswith("2 ")


def test_only_the_last_entry_tells_about_the_job_at_hand() -> None:
    entries = [an_entry("JOB1", State.COMPLETED), an_entry("JOB2", State.STARTED)]

    assert recorded_state(a_request("JOB2", State.STARTED, entries)) is State.STARTED
    assert recorded_state(a_request("JOB1", State.STARTED, entries)) is None
    assert recorded_state(a_request("JOB1", State.STARTED)) is None


def test_a_job_that_is_merely_requested_cannot_be_over() -> None:
    request = a_request("JOB1", State.REQUESTED, [an_entry("JOB1", State.COMPLETED)])

    assert recorded_state(request) is None
    assert recorded_outcome(request) is None


def test_an_outcome_is_what_ended_the_job() -> None:
    assert recorded_outcome(a_request("JOB1", State.STARTED, [an_entry()])) is None
    assert recorded_outcome(a_request("JOB1", State.STARTED, [an_entry(state=State.FAILED)])) is State.FAILED
