"""What a leader that has lost its lease can still write: nothing, at whatever moment it lost it."""

from contextvars import copy_context

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, Request
from framework.errors import LeadershipLost
from framework.reconcile import Result
from tests.component.leadership.world import NAMESPACE, Replica, World, Written

STEPS = 3
LEASE_SECONDS = 15


def in_steps(replica: Replica, request: Request) -> None:
    """Several writes without any condition, with work in between."""
    for step in range(STEPS):
        replica.client.merge_patch(ConfigMap, request.key, {"data": {f"step-{step}": replica.name}})
        replica.clock.wait(1.5)


def writes_out_of_term(written: list[Written]) -> list[Written]:
    holder, found = "", []
    for write in written:
        if write.is_of_the_lease:
            holder = write.body["spec"].get("holderIdentity", holder)
        elif write.replica not in {holder, "user"}:
            found.append(write)
    return found


@pytest.mark.parametrize("moment", range(10))
def test_a_leader_that_stood_still_at_any_moment_for_longer_than_its_lease_writes_nothing_afterwards(
    world: World, moment: int
) -> None:
    stopped = world.start("stopped", in_steps)
    world.start("other", in_steps)
    stopped.link.stops_before = moment

    world.put("a", "1")
    world.time.advance(10)
    assert stopped.link.is_standing_still
    world.time.advance(3 * LEASE_SECONDS)
    stopped.link.go_on()
    world.time.advance(10)

    assert writes_out_of_term(world.written) == []
    assert not stopped.leads
    # The other one has done it all, and only it.
    assert {name: world.text_of("a")[name] for name in world.text_of("a") if name != "text"} == {
        f"step-{step}": "other" for step in range(STEPS)
    }


def test_who_leads_again_begins_the_interrupted_reconcile_anew_and_it_was_no_failure(world: World) -> None:
    stopped = world.start("stopped", in_steps)
    other = world.start("other", in_steps)
    world.put("a", "1")
    # In the midst of the steps.
    stopped.link.stand_still()
    world.time.advance(3 * LEASE_SECONDS)
    stopped.link.go_on()
    world.time.advance(10)
    seen_before = len(stopped.seen)

    world.stop(other)
    world.time.advance(10)

    assert stopped.leads
    assert len(stopped.seen) > seen_before
    errors = stopped.registry.get_sample_value("controller_runtime_reconcile_errors_total", {"controller": "maps"})
    assert errors == 0
    assert writes_out_of_term(world.written) == []


def test_a_term_that_was_lost_and_won_again_in_between_refuses_the_writes_of_the_old_one(world: World) -> None:
    outcome: list[str] = []

    def slowly(replica: Replica, request: Request) -> None:
        if not outcome:
            outcome.append("begun")
            replica.clock.wait(20)
            try:
                replica.client.merge_patch(ConfigMap, request.key, {"data": {"by": "an old term"}})
            except LeadershipLost:
                outcome.append("refused")
                raise

    alone = world.start("alone", slowly)
    world.put("a", "1")
    assert outcome == ["begun"]

    # Nobody else is there: after the time without an answer it gets the lease back.
    alone.link.stand_still()
    world.time.advance(12)
    alone.link.go_on()
    world.time.advance(3)
    assert alone.leads
    world.time.advance(10)

    assert outcome == ["begun", "refused"]
    assert "by" not in world.text_of("a")
    assert alone.metric("windlass_leader_writes_refused_total") == 1


def test_any_client_is_fenced_inside_a_reconcile_not_only_that_of_the_controller(world: World) -> None:
    refused: list[Exception] = []

    def with_other_clients(replica: Replica, request: Request) -> None:
        replica.link.stand_still()
        for client in (replica.manager.client, replica.manager.client_for("somebody"), replica.client.acting_as("me")):
            try:
                client.merge_patch(ConfigMap, request.key, {"data": {"by": replica.name}})
            except LeadershipLost as error:
                refused.append(error)

    stopped = world.start("stopped", with_other_clients)
    world.put("a", "1")
    world.time.advance(3 * LEASE_SECONDS)
    stopped.link.go_on()
    world.time.advance(1)

    assert len(refused) == 3


def test_a_write_from_a_thread_of_the_reconciler_needs_a_leader(world: World) -> None:
    replica = world.start("replica")
    world.put("a", "1")

    def write() -> ConfigMap:
        return replica.client.merge_patch(ConfigMap, Key(NAMESPACE, "a"), {"data": {"by": "thread"}})

    assert [type(each) for each in world.in_task(write)] == [ConfigMap]
    replica.link.stand_still()
    world.time.advance(3 * LEASE_SECONDS)
    assert [type(each) for each in world.in_task(write)] == [LeadershipLost]


def test_a_thread_that_takes_the_context_of_the_reconcile_along_has_its_fence(world: World) -> None:
    outcome: list[list[object]] = []

    def in_a_thread(replica: Replica, request: Request) -> Result:
        if outcome:
            return Result.await_change()
        context = copy_context()

        def write() -> object:
            replica.clock.wait(30)
            return context.run(
                replica.manager.client.merge_patch, ConfigMap, request.key, {"data": {"by": "an old term"}}
            )

        task: list[object] = []
        outcome.append(task)

        def run() -> None:
            try:
                task.append(write())
            except LeadershipLost as error:
                task.append(error)

        replica.manager.runtime.spawn("thread", run)
        return Result.await_change()

    replica = world.start("replica", in_a_thread)
    world.put("a", "1")
    replica.link.stand_still()
    world.time.advance(12)
    replica.link.go_on()
    world.time.advance(3)
    assert replica.leads
    world.time.advance(30)

    assert [type(each) for each in outcome[0]] == [LeadershipLost]


def test_controllers_that_need_no_leader_write_while_nobody_leads(world: World) -> None:
    def write(replica: Replica, request: Request) -> None:
        client = replica.manager.client_for("free")
        if "by" not in client.get(ConfigMap, request.key).data:
            client.merge_patch(ConfigMap, request.key, {"data": {"by": replica.name}})

    world.start("leader")
    standby = world.start("standby", write, prepare=lambda replica: replica.add("free", needs_leader=False))

    world.put("a", "1")
    world.time.advance(1)

    assert not standby.leads
    assert world.text_of("a")["by"] == "standby"


def test_events_about_a_lost_term_are_still_recorded(world: World) -> None:
    def record(replica: Replica, request: Request) -> None:
        found = replica.maps.lister.get(request.key)
        assert found is not None
        replica.manager.recorder_for("maps").record(found, "Normal", "Seen", "hello", action="See")
        replica.link.stand_still()

    stopped = world.start("stopped", record)
    world.put("a", "1")
    world.time.advance(3 * LEASE_SECONDS)
    stopped.link.go_on()
    world.time.advance(30)

    assert [write.path for write in world.written if "events" in write.path] != []
