"""Threads for what would hold up the event loop."""

from collections import deque
from collections.abc import Callable

from framework.runtime import Runtime


class Workers:
    """Runs jobs in at most *limit* tasks, started when first needed.

    Not asyncio's executor: its threads are joined when the interpreter ends,
    so one webhook that does not answer would keep the process alive; and they
    would not be the Runtime's.
    """

    def __init__(self, runtime: Runtime, limit: int) -> None:
        self._runtime = runtime
        self._limit = limit
        self._changed = runtime.condition()
        self._jobs: deque[Callable[[], None]] = deque()
        self._started = 0
        # Those who wait, or were notified and are not awake yet.
        self._idle = 0
        self._is_stopped = False

    def submit(self, job: Callable[[], None]) -> None:
        """Have *job* run; it must not raise. After `stop`, jobs are dropped."""
        with self._changed:
            if self._is_stopped:
                return
            self._jobs.append(job)
            if self._idle >= len(self._jobs):
                self._changed.notify()
            elif self._started < self._limit:
                self._started += 1
                self._runtime.spawn(f"http-worker-{self._started}", self._work)

    def stop(self) -> None:
        """Let the tasks end after their present jobs; does not wait for them."""
        with self._changed:
            self._is_stopped = True
            self._jobs.clear()
            self._changed.notify_all()

    def _work(self) -> None:
        while (job := self._next()) is not None:
            job()

    def _next(self) -> Callable[[], None] | None:
        with self._changed:
            while not self._jobs and not self._is_stopped:
                self._idle += 1
                self._changed.wait()
                self._idle -= 1
            return None if self._is_stopped else self._jobs.popleft()
