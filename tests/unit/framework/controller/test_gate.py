"""A key waits for the caches to show what its last reconcile did."""

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, Request, resource_type_of
from framework.controller.gate import Gate
from framework.own_writes import Mode, Write, current_reconcile
from framework.testing.virtual_time import VirtualTime
from tests.unit.framework.controller.conftest import Bench

KEY = Key("default", "a")
REQUEST = Request(KEY)


class Passage:
    """Caches that show a write when the test says so."""

    def __init__(self) -> None:
        self.is_open = False

    def has_passed(self, write: Write) -> bool:
        assert write.key == KEY
        return self.is_open


def wrote(passage: Passage, *, is_certain: bool = True) -> None:
    reconcile = current_reconcile()
    assert reconcile is not None
    reconcile.writes.append(Write(passage, resource_type_of(ConfigMap), KEY, "uid", 7, is_certain=is_certain))


def a_gate(mode: Mode) -> tuple[Gate, Passage, VirtualTime]:
    time = VirtualTime()
    return Gate("widgets", mode, time.clock), Passage(), time


@pytest.mark.parametrize(
    ("mode", "is_certain", "is_held"),
    [
        ("gate", True, True),
        ("gate", False, True),
        ("overlay", True, False),
        ("overlay", False, True),
        ("wait", True, False),
        ("wait", False, True),
        ("off", True, False),
        ("off", False, False),
    ],
)
def test_which_writes_hold_a_key_depends_on_the_mode(mode: Mode, *, is_certain: bool, is_held: bool) -> None:
    gate, passage, _ = a_gate(mode)

    with gate.watching(REQUEST):
        wrote(passage, is_certain=is_certain)

    assert bool(gate.seconds_to_wait(REQUEST)) is is_held
    assert gate.seconds_to_wait(Request(Key("default", "other"))) == 0


def test_the_waits_grow_up_to_a_limit_and_end_with_the_write() -> None:
    gate, passage, _ = a_gate("gate")
    with gate.watching(REQUEST):
        wrote(passage)

    waits = [gate.seconds_to_wait(REQUEST) for _ in range(12)]
    passage.is_open = True

    assert waits[:4] == [0.005, 0.01, 0.02, 0.04]
    assert waits[-1] == 5.0
    assert gate.seconds_to_wait(REQUEST) == 0.0


def test_a_write_that_may_never_have_been_is_not_waited_for_for_ever() -> None:
    gate, passage, time = a_gate("overlay")
    with gate.watching(REQUEST):
        wrote(passage, is_certain=False)

    time.advance(149)
    assert gate.seconds_to_wait(REQUEST) > 0
    time.advance(2)

    assert gate.seconds_to_wait(REQUEST) == 0


def test_keys_that_nobody_asks_for_again_are_forgotten() -> None:
    gate, passage, _ = a_gate("gate")
    passage.is_open = True

    for number in range(3000):
        with gate.watching(Request(Key("default", str(number)))):
            wrote(passage)

    assert len(gate._held) <= 1024


def test_a_failed_reconcile_is_held_as_well() -> None:
    gate, passage, _ = a_gate("gate")

    def reconcile() -> None:
        with gate.watching(REQUEST):
            wrote(passage)
            raise OSError("broken")

    with pytest.raises(OSError, match="broken"):
        reconcile()

    assert gate.seconds_to_wait(REQUEST) > 0


def test_the_controller_puts_a_held_key_off_without_spinning_and_reconciles_it_once_it_may(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    held: list[bool] = [False, True, True, True]
    looked: list[float] = []

    def seconds_to_wait(_: Gate, request: Request) -> float:
        looked.append(bench.time.clock.monotonic())
        return 0.5 if held.pop(0) else 0.0

    monkeypatch.setattr(Gate, "seconds_to_wait", seconds_to_wait)
    controller = bench.controller()
    bench.enqueue(controller, "a")
    held.append(False)

    bench.enqueue(controller, "a")
    bench.time.advance(2)

    assert bench.calls == [("a", 0.0), ("a", 1.5)]
    assert looked == [0.0, 0.0, 0.5, 1.0, 1.5]
    assert bench.registry.get_sample_value("windlass_reconcile_gated_total", {"controller": "widgets"}) == 3


def test_a_reconcile_knows_who_it_is(bench: Bench) -> None:
    seen: list[tuple[str, str, str]] = []

    def reconcile(request: Request) -> object:
        current = current_reconcile()
        assert current is not None
        seen.append((current.controller, current.request.name, current.mode))
        raise OSError

    bench.enqueue(bench.controller(reconcile), "a")

    assert seen == [("widgets", "a", "overlay")]
    assert current_reconcile() is None
