"""Lets each controller begin as soon as it has its rights, and says which are missing until then."""

from collections.abc import Callable, Iterable

import structlog

from framework.client import Client
from framework.clock import Clock
from framework.informers.backoff import Backoff
from framework.manager.health import Checks
from framework.randomness import Random
from framework.rights import AccessReviews, Need, missing_rights_message
from framework.runtime import Event, Runtime, Task

_END_SECONDS = 2.0

_log = structlog.get_logger("windlass.rights")


class Preflight:
    """One task for each controller that waits, so that none waits for another."""

    def __init__(self, client: Client, readiness: Checks, *, clock: Clock, runtime: Runtime, random: Random) -> None:
        self._reviews = AccessReviews(client)
        self._readiness = readiness
        self._clock = clock
        self._runtime = runtime
        self._random = random
        self._waiting: dict[str, _Waiting] = {}
        self._tasks: list[Task] = []

    def begin(self, controller: str, needs: Iterable[Need], start: Callable[[], None]) -> None:
        """Call *start* once the server says that *needs* are given, or cannot say."""
        waiting = self._waiting[controller] = _Waiting(controller, needs, self._reviews, self._runtime.event())
        self._readiness.add(_check_name(controller), lambda: waiting.problem)
        self._tasks.append(self._runtime.spawn(f"rights-{controller}", lambda: self._wait(waiting, start)))

    def give_up(self, controller: str) -> None:
        """It shall not begin any more, if it has not; nor be missed."""
        waiting = self._waiting.pop(controller, None)
        if waiting is not None:
            waiting.is_over.set()
            self._readiness.remove(_check_name(controller))

    def stop(self) -> None:
        """No controller begins from now on."""
        for waiting in self._waiting.values():
            waiting.is_over.set()
        for task in self._tasks:
            task.join(_END_SECONDS)

    def _wait(self, waiting: "_Waiting", start: Callable[[], None]) -> None:
        backoff = Backoff(self._clock, self._random)
        while not waiting.has_its_rights():
            if waiting.is_over.wait(backoff.next_wait()):
                return
        if not waiting.is_over.is_set():
            start()


class _Waiting:
    """One controller between its registration and its start."""

    def __init__(self, controller: str, needs: Iterable[Need], reviews: AccessReviews, is_over: Event) -> None:
        self._controller = controller
        self._reviews = reviews
        # Those not yet known to be given; a right once seen is not asked for again.
        self._missing = tuple(needs)
        self.is_over = is_over
        self.problem: str | None = "the rights of the controller are being asked for"

    def has_its_rights(self) -> bool:
        before, self._missing = self.problem, self._reviews.missing(self._missing)
        needed = tuple(need for need in self._missing if not need.right.is_optional)
        self.problem = f"not started: {missing_rights_message(needed)}" if needed else None
        if needed and self.problem != before:
            _log.warning("rights_missing", controller=self._controller, problem=self.problem)
        if not needed and self._missing:
            message = missing_rights_message(self._missing)
            _log.warning("optional_rights_missing", controller=self._controller, problem=message)
        return not needed


def _check_name(controller: str) -> str:
    return f"rights/{controller}"
