import pytest

from framework.client import Cancellation
from framework.runtime import ThreadRuntime


@pytest.fixture
def cancellation() -> Cancellation:
    return Cancellation(ThreadRuntime())


def test_a_request_closes_what_was_registered(cancellation: Cancellation) -> None:
    closed: list[str] = []
    cancellation.on_request(lambda: closed.append("one"))
    cancellation.on_request(lambda: closed.append("two"))

    cancellation.request()

    assert closed == ["one", "two"]
    assert cancellation.is_requested


def test_what_comes_after_the_request_is_closed_at_once(cancellation: Cancellation) -> None:
    closed: list[str] = []
    cancellation.request()

    cancellation.on_request(lambda: closed.append("late"))

    assert closed == ["late"]


def test_what_was_forgotten_in_time_is_never_closed(cancellation: Cancellation) -> None:
    closed: list[str] = []

    def close() -> None:
        closed.append("forgotten")

    cancellation.on_request(close)
    was_in_time = cancellation.forget(close)
    cancellation.request()

    assert was_in_time
    assert closed == []


def test_forgetting_tells_when_the_request_was_faster(cancellation: Cancellation) -> None:
    def close() -> None:
        pass

    cancellation.on_request(close)
    cancellation.request()

    assert not cancellation.forget(close)


def test_a_second_request_closes_nothing_twice(cancellation: Cancellation) -> None:
    closed: list[str] = []
    cancellation.on_request(lambda: closed.append("once"))

    cancellation.request()
    cancellation.request()

    assert closed == ["once"]
