"""Mutants of leader election: a leader that writes though it leads no more."""

from typing import Any

from framework.client import HttpRequest, HttpResponse, Transport, connection, current_fence
from framework.manager.leadership import Term
from framework.manager.succession import _LeaderObserver
from tests.simulation.led import led
from tests.simulation.mutants.mutant import Mutant


def _no_fence() -> None:
    return None


def _not_asked(_self: Any, _access: Any) -> None:
    """In place of a check."""


def _checked_too_early(request: HttpRequest, transport: Transport) -> HttpResponse:
    fence = None if request.is_read else current_fence()
    if fence is not None:
        fence.check()
    return transport.exchange(request)


MUTANTS = (
    Mutant(
        "lease-not-checked",
        "a leader goes on with what it was about to write when it stood still",
        led,
        [(connection, "current_fence", _no_fence), (_LeaderObserver, "sending", _not_asked)],
    ),
    Mutant(
        "lease-checked-early",
        "the lease is looked at before the request is made, not when it is sent",
        led,
        [(connection, "_exchange", _checked_too_early)],
    ),
    Mutant(
        "term-without-end",
        "a term ends when its loss is noticed, and not by itself",
        led,
        [(Term, "is_requested", property(lambda self: self._requested))],
    ),
)
