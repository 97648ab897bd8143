from collections.abc import Callable

import pytest

from framework.apiserver.controllers import ESSENTIAL, Controllers, ControllerTools, builtin_controllers
from framework.errors import WindlassError
from tests.unit.framework.apiserver.controllers.cluster import Cluster, config_map, config_maps


class Stepper:
    def __init__(self, do: Callable[[int], float | None]) -> None:
        self._do = do
        self.steps = 0

    def step(self) -> float | None:
        self.steps += 1
        return self._do(self.steps)


def controllers_of(cluster: Cluster, *steppers: Stepper) -> Controllers:
    return Controllers(steppers, storage=cluster.api.storage, runtime=cluster.time.runtime)


def test_settling_ends_when_nobody_has_written_anything() -> None:
    cluster = Cluster()

    def write_twice(step: int) -> float | None:
        if step <= 2:
            cluster.create(config_maps(), config_map(f"number-{step}"))
        return None

    writer, watcher = Stepper(write_twice), Stepper(lambda _: 7.0)

    wait = controllers_of(cluster, writer, watcher).settle()

    assert (writer.steps, watcher.steps, wait) == (3, 3, 7.0)


def test_controllers_that_never_come_to_rest_are_reported() -> None:
    cluster = Cluster()

    def write_always(step: int) -> float | None:
        cluster.create(config_maps(), config_map(f"number-{step}"))
        return None

    with pytest.raises(WindlassError, match="did not settle"):
        controllers_of(cluster, Stepper(write_always)).settle()


def test_in_the_background_a_change_makes_them_work() -> None:
    cluster = Cluster()
    cluster.controllers.start()
    owner = cluster.create(config_maps(), config_map("owner"))
    cluster.create(config_maps(), config_map("dependent", owner))

    cluster.delete(config_maps("owner"))
    cluster.time.wait_until_idle()

    assert cluster.names(config_maps()) == []
    cluster.controllers.stop()


def test_in_the_background_time_makes_them_work() -> None:
    cluster = Cluster()
    stepper = Stepper(lambda _: 5.0)
    controllers = controllers_of(cluster, stepper)
    controllers.start()

    cluster.time.advance(11.0)

    assert stepper.steps == 3
    controllers.stop()


def test_one_that_fails_does_not_stop_the_others() -> None:
    cluster = Cluster()

    def fail(_step: int) -> float | None:
        raise KeyError("a bug")

    broken, sound = Stepper(fail), Stepper(lambda _: None)
    controllers = controllers_of(cluster, broken, sound)
    controllers.start()

    cluster.time.advance(2.5)

    assert (broken.steps, sound.steps) == (3, 3)
    controllers.stop()


def test_they_can_be_started_again() -> None:
    cluster = Cluster()
    stepper = Stepper(lambda _: None)
    controllers = controllers_of(cluster, stepper)
    controllers.start()
    controllers.stop()
    before = stepper.steps

    controllers.start()
    cluster.time.wait_until_idle()
    controllers.stop()

    assert stepper.steps > before


def test_a_controller_is_left_out_or_replaced_by_its_name() -> None:
    cluster = Cluster()
    made = Stepper(lambda _: None)

    def make(_tools: ControllerTools) -> Stepper:
        return made

    makers = {**ESSENTIAL, "garbage-collector": make}
    del makers["service-accounts"]
    builtin_controllers(cluster.api, makers).settle()

    assert made.steps > 0
    assert cluster.names("/api/v1/serviceaccounts") == []
