"""Terms in virtual time."""

import pytest

from framework.errors import LeadershipLost
from framework.manager.leadership import Leadership, Term
from framework.testing.virtual_time import VirtualTime


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()


@pytest.fixture
def refusals() -> list[int]:
    return []


@pytest.fixture
def leadership(time: VirtualTime, refusals: list[int]) -> Leadership:
    return Leadership(time.clock, time.runtime, name="lease a/b", on_refusal=lambda: refusals.append(1))


def term_until(leadership: Leadership, ends_at: float) -> Term:
    leadership.hold_until(ends_at)
    term = leadership.fence()
    assert term is not None
    return term


def test_a_term_is_over_at_its_moment_though_nobody_ends_it(leadership: Leadership, time: VirtualTime) -> None:
    term = term_until(leadership, 10.0)

    time.advance(9.999)
    assert not term.is_requested
    time.advance(0.001)
    assert term.is_requested


def test_a_renewal_in_time_extends_the_term(leadership: Leadership, time: VirtualTime) -> None:
    term = term_until(leadership, 10.0)

    time.advance(9)
    leadership.hold_until(19.0)
    time.advance(9)

    assert leadership.fence() is term
    assert not term.is_requested


def test_a_renewal_that_comes_late_begins_another_term(leadership: Leadership, time: VirtualTime) -> None:
    first = term_until(leadership, 10.0)

    time.advance(10)
    second = term_until(leadership, 20.0)

    assert first.is_requested
    assert not second.is_requested


def test_leading_again_does_not_bring_an_old_term_back(leadership: Leadership) -> None:
    first = term_until(leadership, 10.0)

    leadership.end()
    second = term_until(leadership, 10.0)

    assert second is not first
    with pytest.raises(LeadershipLost, match="lease a/b: the term in which this work began is over"):
        first.check()
    second.check()


def test_the_end_of_a_term_cuts_off_what_is_under_way(leadership: Leadership) -> None:
    term, cut_off = term_until(leadership, 10.0), list[str]()
    term.on_request(lambda: cut_off.append("write"))

    leadership.end()

    assert cut_off == ["write"]


def test_every_refused_write_is_counted(leadership: Leadership, refusals: list[int]) -> None:
    term = term_until(leadership, 10.0)
    leadership.end()

    for check in (term.check, leadership.check):
        with pytest.raises(LeadershipLost):
            check()

    assert len(refusals) == 2
