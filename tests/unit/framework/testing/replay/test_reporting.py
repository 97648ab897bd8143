import pytest

from apis.meta import Key, Request
from framework.errors import TerminalError
from framework.reconcile import Result
from framework.runtime import ThreadRuntime
from framework.testing.replay.reporting import ReportingReconciler

ONE = Request(Key("default", "one"))


class Raising:
    def __init__(self, error: Exception) -> None:
        self._error = error

    def reconcile(self, request: Request) -> Result:  # noqa: ARG002 - part of the seam
        raise self._error


class Nested:
    """As if a second worker had been given the key."""

    def __init__(self) -> None:
        self.outer: ReportingReconciler | None = None

    def reconcile(self, request: Request) -> Result:
        outer, self.outer = self.outer, None
        return outer.reconcile(request) if outer is not None else Result.await_change()


def reporting(inner: Raising | Nested) -> tuple[ReportingReconciler, list[str]]:
    told: list[str] = []
    return ReportingReconciler("test", inner, lambda oracle, _: told.append(oracle), ThreadRuntime()), told


def test_an_error_that_is_none_of_the_api_is_told() -> None:
    reconciler, told = reporting(Raising(ZeroDivisionError()))

    with pytest.raises(ZeroDivisionError):
        reconciler.reconcile(ONE)

    assert told == ["O8"]


def test_an_error_of_the_api_is_everyday_business() -> None:
    reconciler, told = reporting(Raising(TerminalError("no")))

    with pytest.raises(TerminalError):
        reconciler.reconcile(ONE)

    assert told == []


def test_two_workers_with_one_key_are_told() -> None:
    inner = Nested()
    reconciler, told = reporting(inner)
    inner.outer = reconciler

    reconciler.reconcile(ONE)
    reconciler.reconcile(ONE)

    assert told == ["O5"]
