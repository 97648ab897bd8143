"""A new leader never acts on a cache that is older than what the leader before it acted upon."""

import json
from typing import Any

import pytest
import structlog

from apis.coordination.v1 import Lease
from apis.core.v1 import ConfigMap, Secret
from apis.meta import ObjectMeta
from framework.client import HttpRequest, HttpResponse
from framework.manager.acted_upon import ANNOTATION, MAX_RESOURCES
from tests.component.leadership.world import LEASE, NAMESPACE, Replica, World

LEASE_SECONDS = 15


def recorded(world: World) -> dict[str, int]:
    versions = json.loads(world.lease().metadata.annotations[ANNOTATION])
    assert isinstance(versions, dict)
    return versions


def version_of(world: World, name: str) -> int:
    return int(world.get(name).metadata.resource_version)


def refuse_lists_of_config_maps(request: HttpRequest) -> HttpResponse | None:
    return _overloaded() if "/configmaps" in request.target and "sendInitialEvents" in request.target else None


def refuse_lists_of_secrets(request: HttpRequest) -> HttpResponse | None:
    return _overloaded() if "/secrets" in request.target else None


def _overloaded() -> HttpResponse:
    return HttpResponse(503, {}, b'{"kind":"Status","code":503,"reason":"ServiceUnavailable","message":"overloaded"}')


def test_the_newest_version_that_was_acted_upon_is_in_the_lease_with_the_next_renewal(world: World) -> None:
    world.start("leader")
    world.put("a", "1")
    world.put("a", "2")

    world.time.advance(3)

    assert recorded(world) == {"configmaps": version_of(world, "a")}


def test_what_the_leader_wrote_itself_counts_though_its_own_watch_has_not_brought_it(world: World) -> None:
    def write(replica: Replica, request: Any) -> None:
        replica.link.is_deaf = True
        replica.client.merge_patch(ConfigMap, request.key, {"data": {"by": replica.name}})

    leader = world.start("leader", write)
    world.put("a", "1")
    world.time.advance(3)

    assert leader.maps.version < version_of(world, "a")
    assert recorded(world) == {"configmaps": version_of(world, "a")}


def test_the_record_costs_no_write_beside_the_renewals(world: World) -> None:
    world.start("leader")
    world.put("a", "1")
    world.time.advance(10)
    world.written.clear()

    world.time.advance(60)

    assert len(world.written) == 30
    assert all(write.is_of_the_lease and "annotations" not in write.body["metadata"] for write in world.written)


def test_a_new_leader_whose_watch_is_behind_reads_again_before_it_acts(world: World) -> None:
    leader = world.start("leader")
    world.put("a", "1")
    standby = world.start("standby")
    standby.link.is_deaf = True
    world.put("a", "2")
    world.time.advance(3)
    assert standby.maps.lister.list()[0].data["text"] == "1"

    world.in_task(leader.manager.stop)
    standby.link.is_deaf = False
    world.time.advance(6)

    assert standby.leads
    assert standby.seen == ["a=2"]


def test_a_deletion_counts_too(world: World) -> None:
    leader = world.start("leader")
    world.put("a", "1")
    standby = world.start("standby")
    standby.link.is_deaf = True
    world.delete("a")
    world.time.advance(3)

    world.in_task(leader.manager.stop)
    standby.link.is_deaf = False
    world.time.advance(6)

    assert standby.seen == ["a=None"]


def test_an_absence_that_only_a_list_has_shown_counts_too(world: World) -> None:
    world.put("a", "1")
    standby_first = world.start("first")
    standby = world.start("standby")
    standby.link.is_deaf = True
    world.delete("a")
    # The successor of the first one lists, and never hears of the deletion as such.
    world.stop(standby_first)
    standby.link.stand_still()
    leader = world.start("leader")
    world.time.advance(20)
    assert leader.leads

    standby.link.go_on()
    world.time.advance(3)
    world.in_task(leader.manager.stop)
    standby.link.is_deaf = False
    world.time.advance(6)

    assert standby.leads
    assert set(standby.seen) == {"a=None"}


def test_after_a_leader_that_fell_silent_every_cache_is_read_again_because_its_last_acts_are_on_no_record(
    world: World,
) -> None:
    leader = world.start("leader")
    world.put("a", "1")
    standby = world.start("standby")
    world.time.advance(5)
    standby.link.is_deaf = True
    world.put("a", "2")
    assert leader.seen[-1] == "a=2"
    leader.link.stand_still()
    unrecorded = version_of(world, "a")
    assert recorded(world)["configmaps"] < unrecorded

    standby.link.is_deaf = False
    world.time.advance(LEASE_SECONDS + 5)

    assert standby.leads
    assert standby.seen == ["a=2"]


def test_readiness_and_a_metric_name_the_cache_that_is_waited_for_and_nothing_is_done_meanwhile(world: World) -> None:
    leader = world.start("leader")
    world.put("a", "1")
    standby = world.start("standby")
    standby.link.is_deaf = True
    world.put("a", "2")
    wanted = version_of(world, "a")
    world.time.advance(3)

    standby.link.fault = refuse_lists_of_config_maps
    world.in_task(leader.manager.stop)
    world.time.advance(60)

    assert standby.leads
    assert standby.seen == []
    problem = standby.manager.readiness.problems()["leader-election"]
    assert problem == f"leads, but waits for configmaps[namespaces=default] to reach version {wanted} (overloaded)"
    assert standby.metric("windlass_leader_caches_behind") == 1

    standby.link.fault = lambda _: None
    standby.link.is_deaf = False
    world.time.advance(40)

    assert standby.seen == ["a=2"]
    assert standby.manager.readiness.problems() == {}
    assert standby.metric("windlass_leader_caches_behind") == 0


def test_a_controller_whose_own_caches_are_up_to_date_does_not_wait_for_those_of_others(world: World) -> None:
    worked: list[str] = []

    def prepare(replica: Replica) -> None:
        class Other:
            def reconcile(self, request: Any) -> Any:
                worked.append(f"{replica.name}:{request.name}")
                return replica.reconcile(request)

        replica.add("secrets", kind=Secret, reconciler=Other())

    leader = world.start("leader", prepare=prepare)
    world.put("a", "1")
    standby = world.start("standby", prepare=prepare)
    world.create(Secret(metadata=ObjectMeta(name="s", namespace=NAMESPACE)))
    standby.link.fault = refuse_lists_of_config_maps
    # Beyond what its cache has.
    world.time.advance(3)
    world.annotate(json.dumps({**recorded(world), "configmaps": 10**9}))

    leader.link.stand_still()
    world.time.advance(30)

    assert standby.leads
    assert "standby:s" in worked
    assert "a=1" not in standby.seen


def test_a_cache_that_is_no_source_of_anybody_holds_everybody_up_because_anybody_may_read_it(world: World) -> None:
    def prepare(replica: Replica) -> None:
        replica.manager.informer(Secret)
        replica.link.fault = refuse_lists_of_secrets

    world.create_lease(json.dumps({"secrets": 10**9}))
    world.put("a", "1")

    replica = world.start("replica", prepare=prepare)
    world.time.advance(30)

    assert replica.leads
    assert replica.seen == []


def test_a_version_that_the_server_does_not_know_any_more_is_corrected_by_what_it_has(world: World) -> None:
    world.create_lease(json.dumps({"configmaps": 10**9}))
    world.put("a", "1")

    replica = world.start("replica")
    world.time.advance(5)

    assert replica.seen == ["a=1"]
    assert recorded(world) == {"configmaps": replica.maps.changed_version}


def test_a_resource_that_nobody_here_caches_is_not_waited_for_and_stays_on_record(world: World) -> None:
    world.create_lease(json.dumps({"others.example.com": 10**9}))
    world.put("a", "1")

    replica = world.start("replica")
    world.time.advance(3)

    assert replica.seen == ["a=1"]
    assert recorded(world) == {"configmaps": replica.maps.changed_version, "others.example.com": 10**9}


def test_a_quiet_resource_is_not_read_again_only_because_bookmarks_come_at_different_times(world: World) -> None:
    leader = world.start("leader")
    standby = world.start("standby")
    world.put("a", "1")
    world.time.advance(600)
    lists_before = sum("sendInitialEvents" in request.target for request in standby.link.requests)

    world.in_task(leader.manager.stop)
    world.time.advance(4.5)

    assert standby.seen == ["a=1"]
    assert sum("sendInitialEvents" in request.target for request in standby.link.requests) == lists_before


@pytest.mark.parametrize(
    "text", ["{", "[]", '{"configmaps": "7"}', '{"configmaps": -1}', '{"configmaps": 1e99}', "null", "x" * 40_000]
)
def test_a_record_that_cannot_be_read_is_said_once_and_ignored(world: World, text: str) -> None:
    world.create_lease(text)
    world.put("a", "1")

    with structlog.testing.capture_logs() as logs:
        replica = world.start("replica")
        world.time.advance(30)

    assert [log["event"] for log in logs].count("lease_annotation_ignored") == 1
    assert replica.seen == ["a=1"]
    assert recorded(world) == {"configmaps": replica.maps.changed_version}


def test_the_record_holds_no_more_than_so_many_resources_the_quietest_leave(world: World) -> None:
    many = {f"resource-{number}.example.com": number + 1 for number in range(2 * MAX_RESOURCES)}
    world.create_lease(json.dumps(many))

    world.start("replica")
    world.put("a", "1")
    world.time.advance(3)

    kept = recorded(world)
    assert len(kept) == MAX_RESOURCES
    assert f"resource-{2 * MAX_RESOURCES - 1}.example.com" in kept
    assert "resource-0.example.com" not in kept


def test_a_resource_whose_definition_is_gone_is_not_waited_for(world: World) -> None:
    def not_found(request: HttpRequest) -> HttpResponse | None:
        body = b'{"kind":"Status","code":404,"reason":"NotFound","message":"no such resource"}'
        return HttpResponse(404, {}, body) if "/secrets" in request.target else None

    def prepare(replica: Replica) -> None:
        # Read by the reconciler, and no source of any controller: it concerns all of them.
        replica.manager.informer(Secret)
        replica.link.fault = not_found

    world.create_lease(json.dumps({"secrets": 10**9}))
    world.put("a", "1")

    replica = world.start("replica", prepare=prepare)
    world.time.advance(5)

    assert replica.seen == ["a=1"]


def test_a_lease_of_others_without_a_record_is_taken_as_it_is(world: World) -> None:
    world.create(Lease(metadata=ObjectMeta(name=LEASE.name, namespace=NAMESPACE)))
    world.put("a", "1")

    assert world.start("replica").seen == ["a=1"]
