from controllers.cfapi.releases import ReleaseArrivals
from framework.clock import SystemClock
from framework.runtime import ThreadRuntime


def test_wait_ends_at_once_if_the_release_is_there() -> None:
    arrivals = ReleaseArrivals(lambda version: version == "v1", SystemClock(), ThreadRuntime())

    assert arrivals.wait_for("v1", 60.0)
    assert not arrivals.wait_for("v2", 0.0)


def test_stop_ends_every_wait() -> None:
    arrivals = ReleaseArrivals(lambda _: False, SystemClock(), ThreadRuntime())
    arrivals.stop()

    assert not arrivals.wait_for("v1", 60.0)
