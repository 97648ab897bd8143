"""A few things at a time, each with its own outcome."""

from collections.abc import Callable, Sequence
from contextvars import copy_context

from framework.runtime import Runtime


class Parallel:
    """At most *width* at a time; tasks write under the same term as who waits for them."""

    def __init__(self, runtime: Runtime, width: int, name: str) -> None:
        self._runtime = runtime
        self._width = width
        self._name = name

    def outcomes(self, jobs: Sequence[Callable[[], None]]) -> list[Exception | None]:
        """What each of *jobs* raised, in their order; all are tried."""
        found: list[Exception | None] = [None] * len(jobs)
        waiting, lock = iter(range(len(jobs))), self._runtime.lock()

        def work() -> None:
            while True:
                with lock:
                    number = next(waiting, None)
                if number is None:
                    return
                try:
                    jobs[number]()
                except Exception as error:  # noqa: BLE001 - who waits decides what it means
                    found[number] = error

        if len(jobs) == 1:
            work()
            return found
        tasks = [
            self._runtime.spawn(f"{self._name}-{number}", _in_this_context(work))
            for number in range(min(self._width, len(jobs)))
        ]
        for task in tasks:
            task.join()
        return found


def _in_this_context(work: Callable[[], None]) -> Callable[[], None]:
    context = copy_context()
    return lambda: context.run(work)
