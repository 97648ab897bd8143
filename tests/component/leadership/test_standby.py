"""A standby is warm: its caches and queues follow, and it works the moment it leads."""

from apis.meta import Request
from framework.client import HttpRequest, HttpResponse
from framework.errors import ConnectError, WindlassError
from tests.component.leadership.world import Replica, World

LEASE_SECONDS = 15


def depth(replica: Replica) -> float:
    """How many requests wait, of whatever priority."""
    samples = (sample for metric in replica.registry.collect() for sample in metric.samples)
    return sum(sample.value for sample in samples if sample.name == "workqueue_depth")


def list_requests(replica: Replica) -> int:
    return sum("/configmaps" in request.target for request in replica.link.requests)


def test_a_standby_fills_its_queue_once_for_each_object_and_works_on_nothing(world: World) -> None:
    world.start("leader")
    standby = world.start("standby")

    for change in range(5):
        for name in ("a", "b", "c"):
            world.put(name, str(change))
    world.time.advance(5)

    assert standby.seen == []
    assert depth(standby) == 3
    assert standby.maps.size == 3


def test_a_standby_that_takes_over_works_at_once_and_asks_the_server_for_nothing_first(world: World) -> None:
    leader = world.start("leader")
    standby = world.start("standby")
    for name in ("a", "b", "c"):
        world.put(name, "1")
    reads_before = sum(request.is_read and "leases" not in request.target for request in standby.link.requests)

    world.in_task(leader.manager.stop)
    # A released lease is found at the next look, at most a jittered retry period later.
    world.time.advance(4.5)

    assert sorted(standby.seen) == ["a=1", "b=1", "c=1"]
    reads = sum(request.is_read and "leases" not in request.target for request in standby.link.requests)
    assert reads == reads_before


def test_who_leads_again_looks_at_everything_again_because_the_one_in_between_may_have_failed(world: World) -> None:
    def fail(_replica: Replica, _request: Request) -> None:
        raise WindlassError("the cloud is down")

    first = world.start("first")
    second = world.start("second", fail)
    world.put("a", "1")
    assert first.seen == ["a=1"]

    first.link.stand_still()
    world.time.advance(30)
    assert set(second.seen) == {"a=1"}
    first.link.go_on()
    world.time.advance(5)
    # Whatever was in the queue of the second, its retries above all, is gone with it.
    world.stop(second)
    world.time.advance(10)

    assert first.leads
    assert first.seen == ["a=1", "a=1"]


def test_who_only_missed_a_renewal_does_not_look_at_everything_again(world: World) -> None:
    alone = world.start("alone")
    world.put("a", "1")

    alone.link.stand_still()
    world.time.advance(12)
    assert not alone.leads
    alone.link.go_on()
    world.time.advance(10)

    assert alone.metric("leader_election_master_status") == 1
    assert alone.seen == ["a=1"]


def test_a_process_that_loses_its_lease_goes_on_as_a_standby(world: World) -> None:
    former = world.start("former")
    world.start("other")
    former.link.stand_still()
    world.time.advance(3 * LEASE_SECONDS)
    former.link.go_on()
    world.time.advance(5)

    world.put("a", "1")
    world.time.advance(1)

    assert (former.leads, former.manager.readiness.problems()) == (False, {})
    assert former.maps.lister.list()[0].data["text"] == "1"


def test_a_cache_that_waits_after_an_outage_tries_again_when_its_process_leads_again(world: World) -> None:
    def nobody_answers(_request: HttpRequest) -> HttpResponse:
        raise ConnectError("refused")

    alone = world.start("alone")
    alone.maps.refresh()
    alone.link.fault = nobody_answers
    # Long enough for the pauses to become long; and one of them has just begun.
    world.time.advance(300)
    tries = list_requests(alone)
    while list_requests(alone) == tries:
        world.time.advance(0.5)
    assert alone.metric("leader_election_master_status") == 0

    alone.link.fault = lambda _: None
    world.put("a", "1")
    world.time.advance(4.5)

    assert alone.seen == ["a=1"]
