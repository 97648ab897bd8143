"""A controller that counts its children in a late cache makes as many as it should, in every mode but one."""

from collections.abc import Callable, Iterator

import pytest

from framework.own_writes import Mode
from tests.component.own_writes.lagging import WANTED, World

LAG = 2.0


@pytest.fixture
def world() -> Iterator[Callable[..., World]]:
    made: list[World] = []

    def make(mode: Mode, *, lost: list[bool] | None = None) -> World:
        made.append(World(mode, lag_seconds=LAG, lost=lost))
        return made[-1]

    yield make
    for each in made:
        each.stop()


@pytest.mark.parametrize("mode", ["overlay", "wait", "gate"])
def test_no_child_too_many_is_made(world: Callable[..., World], mode: Mode) -> None:
    assert world(mode).run(30) == WANTED


def test_without_own_writes_the_late_cache_makes_too_many(world: Callable[..., World]) -> None:
    assert world("off").run(30) > WANTED


def test_by_overlay_nobody_waits_for_the_cache(world: Callable[..., World]) -> None:
    here = world("overlay")

    assert here.run(1) == WANTED
    assert len(here.reconciled) == WANTED + 1


def test_a_gated_key_is_reconciled_as_soon_as_the_cache_has_caught_up_and_no_sooner(
    world: Callable[..., World],
) -> None:
    here = world("gate")

    here.run(30)

    gaps = [later - earlier for earlier, later in zip(here.reconciled, here.reconciled[1:], strict=False)]
    assert all(gap >= LAG for gap in gaps[: WANTED - 1])
    assert all(gap < 2 * LAG + 1 for gap in gaps[: WANTED - 1])
    gated = here.manager.registry.get_sample_value("windlass_reconcile_gated_total", {"controller": "widgets"})
    assert gated is not None
    # Doubling waits, and one look for each event: far from a loop.
    assert WANTED <= gated < 60


@pytest.mark.parametrize("mode", ["overlay", "wait", "gate"])
def test_a_creation_whose_answer_was_lost_is_not_made_twice(world: Callable[..., World], mode: Mode) -> None:
    here = world(mode, lost=[False, True])

    assert here.run(200) == WANTED
