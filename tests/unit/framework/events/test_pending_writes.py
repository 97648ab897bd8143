"""The queue: bounded, firsts before repetitions, each series once."""

from datetime import UTC, datetime
from math import inf

import pytest

from framework.events.occurrence import Occurrence, Topic
from framework.events.pending_writes import PendingWrites
from framework.events.reference import Reference
from framework.events.series import Series

AT = datetime(2026, 1, 1, tzinfo=UTC)


def a_series(name: str, *, is_first: bool = False, not_before: float = 0.0) -> Series:
    topic = Topic(Reference("v1", "Pod", "shop", name, name), None, "Normal", "Started", "Start")
    occurrence = Occurrence(topic, "", AT, "", "")
    series = Series((topic, ""), name, occurrence, "", "", AT, 0.0, is_first)
    series.not_before = not_before
    return series


def add(pending: PendingWrites, *series: Series) -> list[Series | None]:
    return [pending.add(each, 0.0) for each in series]


def names(pending: PendingWrites, now: float = 0.0) -> list[str]:
    taken = []
    while (series := pending.take(now)) is not None:
        taken.append(series.name)
    return taken


def test_firsts_are_taken_before_repetitions_each_in_order() -> None:
    pending = PendingWrites(10)
    add(pending, a_series("a"), a_series("b", is_first=True), a_series("c"), a_series("d", is_first=True))

    assert names(pending) == ["b", "d", "a", "c"]


@pytest.mark.parametrize("not_before", [0.0, 5.0])
def test_a_series_is_in_it_once(not_before: float) -> None:
    pending, series = PendingWrites(10), a_series("a", not_before=not_before)
    add(pending, series, series)

    assert len(pending) == 1


def test_the_oldest_repetition_is_dropped_when_it_is_full() -> None:
    pending = PendingWrites(3)
    old, newer = a_series("old"), a_series("newer")

    dropped = add(pending, a_series("first", is_first=True), old, newer, a_series("newest"))

    assert dropped == [None, None, None, old]
    assert names(pending) == ["first", "newer", "newest"]


def test_a_repetition_that_waits_is_dropped_before_a_first() -> None:
    pending = PendingWrites(2)
    waiting = a_series("waiting", not_before=5.0)
    add(pending, a_series("first", is_first=True), waiting)

    assert add(pending, a_series("second", is_first=True)) == [waiting]


@pytest.mark.parametrize("is_first", [True, False])
def test_a_newcomer_never_takes_the_place_of_a_first(is_first: bool) -> None:  # noqa: FBT001 - a parameter of the test
    pending = PendingWrites(2)
    add(pending, a_series("a", is_first=True), a_series("b", is_first=True, not_before=5.0))
    newcomer = a_series("c", is_first=is_first)

    assert add(pending, newcomer) == [newcomer]
    assert names(pending, now=5.0) == ["a", "b"]


def test_what_must_wait_is_not_taken_before_its_time() -> None:
    pending = PendingWrites(10)
    add(pending, a_series("a", not_before=5.0), a_series("b", not_before=3.0))

    assert names(pending, now=2.9) == []
    assert pending.next_due() == 3.0
    assert names(pending, now=3.0) == ["b"]
    assert pending.next_due() == 5.0
    assert names(pending, now=5.0) == ["a"]
    assert pending.next_due() == inf


def test_nothing_waits_when_it_hurries() -> None:
    pending = PendingWrites(10)
    add(pending, a_series("a", not_before=5.0))

    pending.hurry()

    assert names(pending) == ["a"]


def test_a_drained_queue_is_empty() -> None:
    pending = PendingWrites(10)
    add(pending, a_series("a"), a_series("b", is_first=True), a_series("c", not_before=5.0))

    assert [series.name for series in pending.drain()] == ["b", "a", "c"]
    assert len(pending) == 0
    assert pending.next_due() == inf
