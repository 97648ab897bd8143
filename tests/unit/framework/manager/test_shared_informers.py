"""One informer for all who ask for the same, also when they ask at the same time."""

from typing import Any

import pytest

from apis.core.v1 import Pod
from framework.informers import InformerOptions
from framework.manager.health import Checks
from framework.manager.shared_informers import SharedInformers
from framework.testing.virtual_time import VirtualTime


class FakeInformer:
    problem: str | None = None

    def __init__(self, name: str, time: VirtualTime) -> None:
        self.name = name
        self._time = time
        # Virtual second of each call.
        self.started: list[float] = []
        self.told_to_stop: list[float] = []
        self.closed: list[float] = []

    def start(self) -> None:
        self.started.append(self._time.clock.monotonic())

    def stop(self, timeout: float) -> None:
        self.told_to_stop.append(self._time.clock.monotonic())
        self._time.clock.wait(timeout)

    def close(self, timeout: float) -> None:
        self._time.clock.wait(timeout)
        self.closed.append(self._time.clock.monotonic())


class Shop:
    """Shared informers that take a second to make."""

    def __init__(self) -> None:
        self.time = VirtualTime()
        self.made: list[FakeInformer] = []
        self.readiness = Checks()
        self.informers = SharedInformers(self._make, self.readiness, self.time.runtime)

    def get(self, options: InformerOptions | None = None) -> None:
        def ask() -> None:
            self.informers.get(Pod, options or InformerOptions())

        self.time.runtime.spawn("asker", ask)

    def _make(self, _kind: Any, _options: InformerOptions, name: str) -> Any:
        self.time.clock.wait(1)
        self.made.append(FakeInformer(name, self.time))
        return self.made[-1]


@pytest.fixture
def shop() -> Shop:
    return Shop()


def test_two_who_ask_at_the_same_time_get_one_informer_that_is_started_once(shop: Shop) -> None:
    shop.informers.start()

    shop.get()
    shop.get()
    shop.time.advance(5)

    assert len(shop.made) == 1
    assert len(shop.made[0].started) == 1


def test_a_start_while_an_informer_is_made_starts_it_once(shop: Shop) -> None:
    shop.get()
    shop.time.runtime.spawn("starter", shop.informers.start)
    shop.time.advance(5)

    assert len(shop.made[0].started) == 1


def test_informers_are_all_told_to_stop_before_any_is_waited_for(shop: Shop) -> None:
    for labels in ("a", "b", "c"):
        shop.get(InformerOptions(labels=labels))
    shop.time.advance(10)

    shop.time.runtime.spawn("stopper", shop.informers.stop)
    shop.time.advance(60)

    used = [informer for informer in shop.made if informer.told_to_stop]
    assert [informer.told_to_stop for informer in used] == [[10.0]] * 3
    assert all(informer.closed for informer in used)


def test_names_are_numbered_where_the_options_do_not_tell_informers_apart(shop: Shop) -> None:
    for page_size in (100, 200, 300):
        shop.get(InformerOptions(page_size=page_size))
    shop.time.advance(20)

    assert len(shop.made) == 3

    assert [name for name, _ in shop.readiness._checks.items()] == [
        "informer/pods",
        "informer/pods#2",
        "informer/pods#3",
    ]
