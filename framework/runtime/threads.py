"""The real Runtime, on `threading`."""

import threading  # noqa: TID251 - this is the seam
from collections.abc import Callable

from framework.runtime.runtime import Condition, Event, Lock, Task


class ThreadRuntime:
    def spawn(self, name: str, target: Callable[[], None]) -> Task:
        # Daemons: a task that ignores its stop signal must not keep a process alive past its grace period.
        thread = threading.Thread(target=target, name=name, daemon=True)
        thread.start()
        return thread

    def lock(self) -> Lock:
        return threading.Lock()

    def condition(self) -> Condition:
        return threading.Condition(threading.Lock())

    def event(self) -> Event:
        return threading.Event()
