"""O7: nobody asks for more and more, neither of the server nor of its own machine."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import Protocol

import msgspec

from framework.testing.simulation.outcome import Violation
from framework.testing.simulation.plan import USER
from framework.testing.simulation.trace import Step, kind_of

_MINUTE = 60.0
_TOO_MANY, _FIRST_OF_THE_SERVER = 429, 500


class Limits(msgspec.Struct, frozen=True):
    """Of each process, in each of its lives; far above what a sound controller of a few objects needs."""

    tasks: int = 200
    open_watches: int = 50
    # In any 60 seconds of virtual time.
    requests_per_minute: int = 300
    # Keys that are ready and that nobody works on, once all is quiet; those of who does not lead are some.
    queued: int = 1000
    # Between two tries that both fail: a pause that grows must not grow for ever.
    pause_seconds: float = 300.0


class Spawned(Protocol):
    name: str

    def is_alive(self) -> bool:
        """Whether it has not ended."""


class Bounds:
    """Of one life of one process, while it runs."""

    def __init__(self, process: str, limits: Limits, report: Callable[[str, str], None]) -> None:
        self._process = process
        self._limits = limits
        self._report = report
        self._tasks: list[Spawned] = []

    def spawned(self, task: Spawned) -> None:
        self._tasks.append(task)
        if len(self._tasks) > self._limits.tasks:
            # The ended are forgotten no sooner: it is hardly ever needed.
            self._tasks = [each for each in self._tasks if each.is_alive()]
            if len(self._tasks) > self._limits.tasks:
                self._report("O7", f"{self._process} has more than {self._limits.tasks} tasks, such as {task.name}")

    def watching(self, paths: Sequence[str]) -> None:
        if len(paths) > self._limits.open_watches:
            most = max(set(paths), key=lambda path: (paths.count(path), path))
            self._report("O7", f"{self._process} has more than {self._limits.open_watches} watches, such as {most}")

    def at_rest(self, queued: int) -> None:
        if queued > self._limits.queued:
            self._report("O7", f"the cluster is quiet, and {self._process} has {queued} keys in its queues")


def hammering(steps: Sequence[Step], limits: Limits) -> Iterator[Violation]:
    """Who has sent too much at any time, and what it sent last."""
    recent: dict[str, deque[Step]] = {}
    found = set()
    for step in steps:
        if not step.nth or step.event or step.process == USER or step.process in found:
            continue
        window = recent.setdefault(step.process, deque())
        window.append(step)
        while window[0].elapsed < step.elapsed - _MINUTE:
            window.popleft()
        if len(window) > limits.requests_per_minute:
            found.add(step.process)
            number = limits.requests_per_minute
            yield Violation("O7", f"{step.process} sends more than {number} requests a minute, such as {step.request}")


def waiting(steps: Sequence[Step], limits: Limits) -> Iterator[Violation]:
    """Who pauses for too long between two tries of a request that the server could not serve."""
    failed: dict[tuple[str, str], Step] = {}
    for step in steps:
        # How long a watch was open says nothing about the pause before it.
        if not step.nth or step.process == USER or kind_of(step.request) == "watch":
            continue
        name = step.process, step.request
        before = failed.pop(name, None)
        if not _could_not_be_served(step):
            continue
        if before is not None and step.elapsed - before.elapsed > limits.pause_seconds:
            pause = step.elapsed - before.elapsed
            yield Violation("O7", f"{step.process} pauses for {pause:.0f} s between two tries of {step.request}")
        failed[name] = step


def _could_not_be_served(step: Step) -> bool:
    return step.status in {0, _TOO_MANY} or step.status >= _FIRST_OF_THE_SERVER
