"""An account of a cloud gets ten deletions at once, then five a second, four at a time, none while it wants none."""

import pytest

from controllers.peerpod.limiter import Limiter, NotYet
from framework.testing.virtual_time import VirtualTime

ACCOUNT, OTHER = ("aws", "1"), ("aws", "2")


class Subject:
    def __init__(self) -> None:
        self.time = VirtualTime()
        self.limiter = Limiter(self.time.clock, self.time.runtime)

    def seconds(self, who: str, account: tuple[str, str] = ACCOUNT) -> float:
        """0: it was its turn, and is over."""
        try:
            self.limiter.begin(account, who)
        except NotYet as wait:
            return wait.seconds
        self.limiter.end(account)
        return 0.0


@pytest.fixture
def subject() -> Subject:
    return Subject()


def test_ten_go_at_once_and_each_of_the_others_has_its_turn(subject: Subject) -> None:
    waits = [subject.seconds(f"peer-{number}") for number in range(15)]

    assert waits[:10] == [0.0] * 10
    assert waits[10:] == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0])


def test_a_turn_is_kept_for_who_has_it(subject: Subject) -> None:
    for number in range(10):
        subject.seconds(f"peer-{number}")
    subject.seconds("patient")
    subject.time.advance(0.1)
    assert subject.seconds("patient") == pytest.approx(0.1)

    subject.time.advance(0.11)

    assert subject.seconds("patient") == 0.0


def test_another_account_has_a_bucket_of_its_own(subject: Subject) -> None:
    for number in range(10):
        subject.seconds(f"peer-{number}")

    assert subject.seconds("somebody", OTHER) == 0.0


def test_a_bucket_that_is_closed_lets_nobody_through_who_had_a_turn_either(subject: Subject) -> None:
    for number in range(11):
        subject.seconds(f"peer-{number}")
    subject.limiter.close(ACCOUNT, 30.0)

    waits = [subject.seconds(who) for who in ("peer-10", "new")]

    assert waits == pytest.approx([30.0, 30.2])
    subject.time.advance(30.1)
    assert subject.seconds("peer-10") == 0.0


def test_no_more_than_four_are_under_way(subject: Subject) -> None:
    for number in range(4):
        subject.limiter.begin(ACCOUNT, f"peer-{number}")
    assert subject.seconds("fifth") > 0

    subject.limiter.end(ACCOUNT)

    assert subject.seconds("fifth") == 0.0


def test_who_does_not_come_for_its_turn_is_forgotten(subject: Subject) -> None:
    for number in range(12):
        subject.seconds(f"peer-{number}")
    subject.time.advance(120)

    subject.seconds("new")

    account = subject.limiter._accounts[ACCOUNT]
    assert account._turns == {}
