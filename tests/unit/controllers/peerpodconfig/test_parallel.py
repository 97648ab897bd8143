"""A bound on what is under way, and an outcome for each."""

from contextvars import ContextVar

from controllers.peerpodconfig.parallel import Parallel
from framework.runtime import ThreadRuntime

MARK: ContextVar[str] = ContextVar("mark", default="none")


def test_all_are_done_no_more_at_a_time_than_allowed_and_each_has_its_own_outcome() -> None:
    runtime = ThreadRuntime()
    lock, busy, peak, full = runtime.lock(), [0], [0], runtime.event()

    def job(number: int) -> None:
        with lock:
            busy[0] += 1
            peak[0] = max(peak[0], busy[0])
            if busy[0] == 3:
                full.set()
        # Until as many are under way as may be.
        assert full.wait(30)
        with lock:
            busy[0] -= 1
        if number % 2:
            raise ValueError(number)

    outcomes = Parallel(runtime, 3, "test").outcomes([lambda number=number: job(number) for number in range(12)])  # type: ignore[misc] # mypy cannot infer a lambda with a default

    assert [error is not None for error in outcomes] == [False, True] * 6
    assert peak == [3]


def test_tasks_work_in_the_context_of_who_waits_for_them() -> None:
    seen: list[str] = []
    MARK.set("term")

    Parallel(ThreadRuntime(), 2, "test").outcomes([lambda: seen.append(MARK.get())] * 3)

    assert seen == ["term"] * 3
