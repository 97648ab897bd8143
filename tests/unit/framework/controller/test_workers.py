"""When workers begin, how many there are, and how they end."""

from typing import Any

import pytest

from apis.meta import Key, Request
from framework.controller import ControllerOptions
from framework.errors import ConfigurationError
from framework.reconcile import Result
from framework.store import Change, decode_envelope


def created(name: str) -> Change[Any]:
    entry = decode_envelope(f'{{"metadata":{{"namespace":"default","name":"{name}","resourceVersion":"1"}}}}'.encode())
    return Change(lambda _: None, None, entry, is_initial=True)


def test_nothing_is_reconciled_before_the_handler_of_every_source_has_its_initial_list(bench: Any) -> None:
    first, second = bench.source(), bench.source()
    controller = bench.controller(sources=(first, second))

    first.deliver(created("a"), is_complete=True)
    bench.time.advance(60)

    assert bench.calls == []
    assert not controller.has_synced

    second.deliver(created("b"), is_complete=True)
    bench.time.advance(1)

    assert [name for name, _ in bench.calls] == ["a", "b"]
    assert controller.has_synced


def test_a_list_that_has_arrived_but_is_not_handled_yet_is_not_synced(bench: Any) -> None:
    source = bench.source()
    bench.controller(sources=(source,))
    hold = bench.time.runtime.event()
    source.registration._handler.on_change = lambda _: hold.wait()

    source.deliver(created("a"), created("b"), is_complete=True)
    bench.time.advance(60)

    assert "widgets-0" not in bench.time.blocked()

    hold.set()
    bench.time.advance(2)

    assert "widgets-0" in bench.time.blocked()


def test_a_source_that_never_syncs_does_not_hold_other_controllers(bench: Any) -> None:
    bench.controller(sources=(bench.source(),))
    healthy = bench.controller(name="gadgets")

    bench.enqueue(healthy, "a")

    assert [name for name, _ in bench.calls] == ["a"]


def test_a_controller_without_sources_has_synced_once_it_watches(bench: Any) -> None:
    controller = bench.controller(start=False)

    assert not controller.has_synced

    controller.watch()

    assert controller.has_synced


def test_a_stop_before_the_sync_ends_at_once(bench: Any) -> None:
    controller = bench.controller(sources=(bench.source(),))

    controller.request_stop()
    bench.time.advance(1)

    assert bench.time.blocked() == frozenset()
    assert controller.stop(timeout=0)


def test_waiting_for_a_source_whose_informer_was_removed_is_no_busy_loop(bench: Any) -> None:
    source = bench.source()
    bench.controller(sources=(source,))

    source.registration.stop()

    # Returns only if the waiting task really blocks in between.
    bench.time.advance(1)
    assert "widgets-start" in bench.time.blocked()


def test_as_many_reconciles_as_workers_run_at_the_same_time(bench: Any) -> None:
    most = 0

    def reconcile(_request: Request) -> Result:
        nonlocal most
        most = max(most, int(bench.value("active_workers")))
        bench.time.clock.wait(1)
        return Result.await_change()

    bench.enqueue(bench.controller(reconcile, workers=3), *"abcdefg")
    bench.time.advance(10)

    assert most == 3
    assert bench.value("max_concurrent_reconciles") == 3
    assert sorted(at for _, at in bench.calls) == [0, 0, 0, 1, 1, 1, 2]


def test_one_key_is_with_one_worker_at_a_time_and_no_change_is_lost(bench: Any) -> None:
    def reconcile(_request: Request) -> Result:
        bench.time.clock.wait(1)
        return Result.await_change()

    controller = bench.controller(reconcile, workers=4)
    bench.enqueue(controller, "a")

    for _ in range(5):
        bench.enqueue(controller, "a")
    bench.time.advance(10)

    assert bench.calls == [("a", 0), ("a", 1)]


def test_a_poison_object_does_not_slow_down_others(bench: Any) -> None:
    def reconcile(request: Request) -> Result:
        if request.name == "poison":
            raise RuntimeError("always")
        return Result.await_change()

    controller = bench.controller(reconcile)
    bench.enqueue(controller, "poison")
    bench.time.advance(600)

    bench.enqueue(controller, "good")

    assert bench.calls[-1] == ("good", 600)
    # The delay grows, so ten minutes see few tries.
    assert len(bench.calls) < 20


def test_a_reconcile_that_never_returns_costs_one_worker_only(bench: Any) -> None:
    hang = bench.time.runtime.event()

    def reconcile(request: Request) -> Result:
        if request.name == "stuck":
            hang.wait()
        return Result.await_change()

    controller = bench.controller(reconcile, workers=2)

    bench.enqueue(controller, "stuck", "a", "b")

    assert [name for name, _ in bench.calls] == ["stuck", "a", "b"]
    hang.set()


def test_a_stop_waits_for_the_reconcile_under_way_and_drops_the_rest(bench: Any) -> None:
    finished = []

    def reconcile(request: Request) -> Result:
        bench.time.clock.wait(5)
        finished.append(request.name)
        return Result.await_change()

    controller = bench.controller(reconcile)
    bench.enqueue(controller, "a", "b")
    outcome: list[bool] = []
    bench.time.runtime.spawn("stopper", lambda: outcome.append(controller.stop(timeout=10)))

    bench.time.advance(4)
    assert outcome == []
    bench.time.advance(4)

    assert outcome == [True]
    assert finished == ["a"]


def test_a_stop_gives_up_after_its_timeout_and_says_so(bench: Any) -> None:
    hang = bench.time.runtime.event()
    controller = bench.controller(lambda _: hang.wait())
    bench.enqueue(controller, "a")
    outcome: list[tuple[bool, float]] = []
    bench.time.runtime.spawn(
        "stopper", lambda: outcome.append((controller.stop(timeout=10), bench.time.clock.monotonic()))
    )

    bench.time.advance(60)

    assert outcome == [(False, 10)]
    hang.set()


def test_a_stop_detaches_every_source(bench: Any) -> None:
    source = bench.source()
    controller = bench.controller(sources=(source,))

    controller.request_stop()

    assert source.detached == [source.registration]


def test_without_its_turn_a_controller_fills_its_queue_but_does_not_work(bench: Any) -> None:
    turn = bench.turn()
    controller = bench.controller(turn=turn)
    bench.enqueue(controller, "a")
    bench.time.advance(10)

    assert bench.calls == []

    turn.set()
    bench.time.advance(1)

    assert [name for name, _ in bench.calls] == ["a"]


def test_work_that_arrives_after_the_turn_has_ended_is_kept_for_the_next(bench: Any) -> None:
    turn = bench.turn(is_set=True)
    controller = bench.controller(turn=turn)

    turn.clear()
    controller._queue.add(Request(Key("default", "a")), priority=7)
    bench.time.advance(10)

    assert bench.calls == []
    assert controller._queue.get(timeout=0) == (Request(Key("default", "a")), 7)
    controller._queue.done(Request(Key("default", "a")))


def test_a_controller_that_waits_for_its_turn_stops(bench: Any) -> None:
    controller = bench.controller(turn=bench.turn(), workers=3)

    controller.request_stop()
    bench.time.advance(1)

    assert bench.time.blocked() == frozenset()


@pytest.mark.parametrize("workers", [0, -1])
def test_a_controller_without_workers_is_refused(workers: int) -> None:
    with pytest.raises(ConfigurationError, match="at least one worker"):
        ControllerOptions(max_concurrent_reconciles=workers)


@pytest.mark.parametrize("seconds", [0.0, -1.0, float("nan")])
def test_a_timeout_that_is_none_is_refused(seconds: float) -> None:
    with pytest.raises(ConfigurationError, match="more than 0 seconds"):
        ControllerOptions(reconcile_timeout_seconds=seconds)
