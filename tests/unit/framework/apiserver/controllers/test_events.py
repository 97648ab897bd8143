from framework.apiserver.objects import Object
from tests.unit.framework.apiserver.controllers.cluster import Cluster

EVENTS = "/api/v1/namespaces/default/events"
HOUR = 3600.0


def event(name: str) -> Object:
    about = {"kind": "ConfigMap", "namespace": "default", "name": "one"}
    return {"metadata": {"name": name}, "involvedObject": about, "reason": "Test", "type": "Normal"}


def test_an_event_is_deleted_an_hour_after_it_was_made() -> None:
    cluster = Cluster()
    cluster.create(EVENTS, event("one"))

    cluster.settle_through(HOUR - 1)
    assert cluster.names(EVENTS) == ["one"]

    cluster.settle_through(2)
    assert cluster.names(EVENTS) == []


def test_an_event_that_happens_again_stays_an_hour_longer() -> None:
    cluster = Cluster()
    cluster.create(EVENTS, event("one"))
    cluster.settle_through(HOUR / 2)
    cluster.patch(f"{EVENTS}/one", {"count": 2, "lastTimestamp": "2026-01-01T00:30:00Z"})

    cluster.settle_through(HOUR - 1)
    assert cluster.names(EVENTS) == ["one"]

    cluster.settle_through(2)
    assert cluster.names(EVENTS) == []


def test_old_events_go_after_a_restart() -> None:
    cluster = Cluster()
    cluster.create(EVENTS, event("one"))
    cluster.time.advance(2 * HOUR)

    cluster.restart_controllers()
    cluster.settle()

    assert cluster.names(EVENTS) == []


def test_the_next_look_is_due_when_the_oldest_event_expires() -> None:
    cluster = Cluster()
    cluster.create(EVENTS, event("one"))
    cluster.time.advance(600)
    cluster.create(EVENTS, event("two"))

    assert cluster.settle() == HOUR - 600
