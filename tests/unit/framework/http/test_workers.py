"""The tasks for requests that block."""

from collections.abc import Callable
from functools import partial

from framework.http.workers import Workers
from framework.runtime import Task, ThreadRuntime


class CountingRuntime(ThreadRuntime):
    def __init__(self) -> None:
        self.tasks: list[Task] = []

    def spawn(self, name: str, target: Callable[[], None]) -> Task:
        task = super().spawn(name, target)
        self.tasks.append(task)
        return task


def test_no_more_tasks_than_jobs_and_than_the_limit() -> None:
    runtime = CountingRuntime()
    workers = Workers(runtime, limit=3)
    go_on = runtime.event()
    finished = [runtime.event() for _ in range(5)]

    def job(n: int) -> None:
        go_on.wait(30)
        finished[n].set()

    workers.submit(partial(job, 0))
    started = [len(runtime.tasks)]
    for n in range(1, 5):
        workers.submit(partial(job, n))
    started.append(len(runtime.tasks))
    go_on.set()

    assert all(event.wait(30) for event in finished)
    assert started == [1, 3]
    workers.stop()


def test_tasks_end_with_the_workers() -> None:
    runtime = CountingRuntime()
    workers = Workers(runtime, limit=2)
    done = runtime.event()
    workers.submit(done.set)
    done.wait(30)

    workers.stop()

    for task in runtime.tasks:
        task.join(10)
    assert not any(task.is_alive() for task in runtime.tasks)


def test_jobs_after_the_end_are_dropped() -> None:
    runtime = CountingRuntime()
    workers = Workers(runtime, limit=2)
    workers.stop()

    workers.submit(lambda: None)

    assert runtime.tasks == []
