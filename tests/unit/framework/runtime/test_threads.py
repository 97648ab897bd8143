import threading  # noqa: TID251 - what the seam stands for

import pytest

from framework.runtime import Runtime, ThreadRuntime

LIMIT_SECONDS = 5.0


@pytest.fixture
def runtime() -> Runtime:
    return ThreadRuntime()


def test_a_task_runs_beside_its_maker_and_has_its_name(runtime: Runtime) -> None:
    started, may_end = runtime.event(), runtime.event()
    names: list[str] = []

    def work() -> None:
        names.append(threading.current_thread().name)
        started.set()
        may_end.wait(LIMIT_SECONDS)

    task = runtime.spawn("worker-1", work)
    assert started.wait(LIMIT_SECONDS)
    assert task.is_alive()
    may_end.set()
    task.join(LIMIT_SECONDS)

    assert not task.is_alive()
    assert names == [task.name] == ["worker-1"]


def test_a_task_does_not_keep_the_process_alive(runtime: Runtime) -> None:
    daemons: list[bool] = []

    runtime.spawn("worker", lambda: daemons.append(threading.current_thread().daemon)).join(LIMIT_SECONDS)

    assert daemons == [True]


def test_a_join_gives_up_in_time(runtime: Runtime) -> None:
    may_end = runtime.event()

    def work() -> None:
        may_end.wait(LIMIT_SECONDS)

    task = runtime.spawn("stuck", work)

    task.join(0.01)

    assert task.is_alive()
    may_end.set()
    task.join(LIMIT_SECONDS)


def test_a_lock_lets_one_in(runtime: Runtime) -> None:
    lock, entered = runtime.lock(), runtime.event()

    def enter() -> None:
        with lock:
            entered.set()

    with lock:
        task = runtime.spawn("second", enter)
        assert not entered.wait(0.01)
    task.join(LIMIT_SECONDS)

    assert entered.is_set()


def test_a_condition_wakes_who_waits_on_it(runtime: Runtime) -> None:
    condition = runtime.condition()
    woken: list[bool] = []

    def wait() -> None:
        with condition:
            ready.set()
            woken.append(condition.wait(LIMIT_SECONDS))

    ready = runtime.event()
    task = runtime.spawn("waiter", wait)
    assert ready.wait(LIMIT_SECONDS)
    with condition:
        condition.notify_all()
    task.join(LIMIT_SECONDS)

    assert woken == [True]


def test_a_condition_gives_up_in_time(runtime: Runtime) -> None:
    condition = runtime.condition()

    with condition:
        assert not condition.wait(0.01)


def test_an_event_stays_set_until_cleared(runtime: Runtime) -> None:
    event = runtime.event()
    event.set()

    assert event.wait(LIMIT_SECONDS)
    event.clear()
    assert not event.wait(0.01)
