"""Certificates from their first issue to the end of a rotation, with crashes at every write."""

from datetime import timedelta
from typing import Any

import pytest

from apis.meta import Key, Unstructured
from framework.certificates.reading import is_issued_by
from framework.certificates.secret_store import SECRET
from framework.errors import Conflict, TransportError, WindlassError
from tests.component.webhooks.replicas import (
    PLACES,
    SECRET_KEY,
    Crash,
    Replica,
    World,
    Writes,
    WrongClock,
    authorities,
    by_hand,
)

TICK_SECONDS = 60.0
# One authority's life up to the end of the overlap with the next one.
TICKS = 28


def live(world: World, replicas: list[Replica], ticks: int, restart: Any = None) -> None:
    """Let all replicas look every minute, and the oracle after each look."""
    for _ in range(ticks):
        for index, replica in enumerate(replicas):
            try:
                replica.round()
            except Crash:
                assert restart is not None
                world.note()
                replicas[index] = restart()
                replicas[index].round()
            for other in replicas:
                if other.serving.context() is not None:
                    world.check(other.shown)
        world.time.advance(TICK_SECONDS)


def test_the_first_round_issues_has_it_trusted_and_shows_it() -> None:
    world, writes = World(), Writes()
    replica = Replica(world, writes)
    before = replica.keeper.problem

    replica.round()

    assert writes.made == [
        "create secrets",
        "patch validatingwebhookconfigurations shop",
        "patch mutatingwebhookconfigurations shop",
        "patch customresourcedefinitions gadgets.shop.example.com",
    ]
    assert (before, replica.keeper.problem) == ("there is no certificate yet", None)
    assert all(is_issued_by(replica.shown, world.bundle(place)) for place in PLACES)


@pytest.mark.parametrize("manages", [True, False])
def test_a_settled_service_writes_nothing(manages: bool) -> None:  # noqa: FBT001 - pytest gives it so
    world, writes = World(), Writes()
    if not manages:
        by_hand(world)
    replicas = [Replica(world, writes, manages=manages) for _ in range(2)]
    live(world, replicas, 2)
    before = list(writes.made)

    live(world, replicas, 6)

    assert writes.made == before
    assert len(before) == 4


def test_a_life_of_rotations_is_trusted_at_every_moment() -> None:
    world, writes = World(), Writes()
    replicas = [Replica(world, writes) for _ in range(2)]

    live(world, replicas, TICKS)

    bundles = [len(authorities(bundle)) for _, bundle in world.bundles["validating"]]
    assert bundles == [1, 2, 1], "one, both, the next one alone"
    assert [write for write in writes.made if "secrets" in write] == [
        "create secrets",
        "patch secrets shop-certificates",  # renewed
        "patch secrets shop-certificates",  # the successor is announced, and there is a new certificate of the old one
        "patch secrets shop-certificates",  # it takes over
        "patch secrets shop-certificates",  # the one before is forgotten
    ]


def first_authority_to_the_next(crash_at: int | None, *, is_after: bool) -> list[str]:
    world, writes = World(), Writes(crash_at, is_after=is_after)
    replicas = [Replica(world, writes), Replica(world, writes)]
    live(world, replicas, TICKS, restart=lambda: Replica(world, writes))
    afterwards = len(writes.made)
    live(world, replicas, 3)
    assert len(writes.made) == afterwards, "settled, yet it writes"
    assert len(authorities(world.bundle("validating"))) == 1
    assert {world.bundle(place) for place in PLACES} == {world.bundle("validating")}
    assert len({replica.shown for replica in replicas}) == 1
    return writes.made


@pytest.mark.parametrize("is_after", [False, True], ids=["before", "after"])
def test_a_crash_at_any_write_costs_no_trust(is_after: bool) -> None:  # noqa: FBT001 - pytest gives it so
    writes = first_authority_to_the_next(None, is_after=is_after)

    for crash_at in range(len(writes)):
        assert sorted(first_authority_to_the_next(crash_at, is_after=is_after)) == sorted(writes), writes[crash_at]


class LosesAnswers(Writes):
    """Each write is made, and its writer hears that nobody knows."""

    def answered(self, access: Any, answer: bytes) -> None:
        super().answered(access, answer)
        if not access.is_read:
            raise TransportError("the answer was lost")


def test_answers_that_are_lost_cost_no_trust_and_no_write() -> None:
    world, writes = World(), LosesAnswers()
    replicas = [Replica(world, writes) for _ in range(2)]

    for _ in range(TICKS):
        for replica in replicas:
            for _ in range(10):
                try:
                    replica.round()
                except TransportError:
                    continue
                break
            world.check(replica.shown)
        world.time.advance(TICK_SECONDS)

    assert len(authorities(world.bundle("validating"))) == 1
    assert len(writes.made) == len(first_authority_to_the_next(None, is_after=False))


def test_replicas_that_start_together_agree_on_one_certificate() -> None:
    world = World()
    one, other = Replica(world, Writes()), Replica(world, Writes())
    stale = one.keeper._store.read()
    other.round()

    with pytest.raises(WindlassError):
        one.keeper._store.write(one.keeper._rotation.fresh(), stale.version)
    one.round()

    assert one.shown == other.shown


@pytest.mark.parametrize("manages", [True, False])
def test_an_old_bundle_never_replaces_a_newer_one(manages: bool) -> None:  # noqa: FBT001 - pytest gives it so
    world = World()
    if not manages:
        by_hand(world)
    slow, quick = (Replica(world, Writes(), manages=manages) for _ in range(2))
    slow.round()
    world.time.advance(1201)
    readings, _ = slow.keeper._read_targets()
    old = world.bundle("validating")

    quick.round()
    for _, reading in readings:
        with pytest.raises(Conflict):
            reading.write(old + old)

    assert {len(authorities(world.bundle(place))) for place in PLACES} == {2}


@pytest.mark.parametrize("place", list(PLACES))
@pytest.mark.parametrize("manages", [True, False])
def test_drift_is_repaired(place: str, manages: bool) -> None:  # noqa: FBT001 - pytest gives it so
    world, writes = World(), Writes()
    if not manages:
        by_hand(world)
    replica = Replica(world, writes, manages=manages)
    replica.round()
    bundle = world.bundle(place)
    resource_type, name = PLACES[place]
    path = "/spec/conversion/webhook" if place == "conversion" else "/webhooks/0"
    removed = {"op": "replace", "path": f"{path}/clientConfig/caBundle", "value": ""}
    world.client.json_patch(resource_type, Key("", name), [removed])
    before = len(writes.made)

    replica.round()

    assert world.bundle(place) == bundle
    assert len(writes.made) - before == 1


def test_a_rule_that_somebody_changed_is_what_the_program_says_again() -> None:
    world = World()
    replica = Replica(world, Writes())
    replica.round()
    change = {"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Ignore"}
    world.client.json_patch(PLACES["validating"][0], Key("", "shop"), [change])

    replica.round()

    found: Any = world.client.get(PLACES["validating"][0], Key("", "shop"))
    assert found.content["webhooks"][0]["failurePolicy"] == "Fail"


def test_a_secret_that_was_deleted_makes_everything_anew_without_a_gap() -> None:
    world, writes = World(), Writes()
    replicas = [Replica(world, writes) for _ in range(2)]
    live(world, replicas, 2)
    before = world.bundle("validating")

    world.client.delete(SECRET, SECRET_KEY)
    live(world, replicas, 15)

    assert before not in world.bundle("validating")
    assert len(authorities(world.bundle("validating"))) == 1


def test_a_secret_of_somebody_else_is_left_alone() -> None:
    world = World()
    content = {"metadata": {"namespace": "default", "name": SECRET_KEY.name}, "data": {"ca.crt": "AAAA"}}
    world.client.create(Unstructured(content=content), kind=SECRET)
    replica = Replica(world, Writes())

    with pytest.raises(WindlassError, match="was not made by us"):
        replica.round()

    assert world.secret().content["data"] == {"ca.crt": "AAAA"}


def test_what_a_wrong_clock_has_done_is_mended_once_it_is_right() -> None:
    world, writes = World(), Writes()
    clock = WrongClock(world.time.clock, timedelta(days=3650))
    right = Replica(world, writes)
    right.round()
    wrong = Replica(world, writes, clock=clock)
    for _ in range(3):
        wrong.round()
        right.round()
    clock.ahead = timedelta(0)
    for bundles in world.bundles.values():
        bundles.clear()

    replicas = [right, wrong]
    for replica in replicas:
        replica.round()
    live(world, replicas, 10)

    before = len(writes.made)
    live(world, replicas, 2)
    assert len(writes.made) == before


def test_a_damaged_secret_is_made_anew() -> None:
    world = World()
    replica = Replica(world, Writes())
    replica.round()
    world.client.merge_patch(SECRET, SECRET_KEY, {"data": {"ca.key": "AAAA"}})

    fresh = Replica(world, Writes())
    fresh.round()

    assert all(is_issued_by(fresh.shown, world.bundle(place)) for place in PLACES)


def test_a_place_that_cannot_be_written_holds_up_the_rotation_and_nothing_else() -> None:
    class Forbidding(Writes):
        is_on = False

        def sending(self, access: Any) -> None:
            if self.is_on and access.resource_type.plural.startswith("mutating"):
                raise WindlassError("forbidden")
            super().sending(access)

    world, writes = World(), Forbidding()
    replica = Replica(world, writes)
    replica.round()
    Forbidding.is_on = True
    world.time.advance(1201)

    for _ in range(10):
        with pytest.raises(WindlassError, match="forbidden"):
            replica.round()
        world.check(replica.shown)
        world.time.advance(30)
    assert replica.keeper.problem is None, "the API server can still call us"
    assert len(authorities(world.bundle("validating"))) == 2
    Forbidding.is_on = False
    live(world, [replica], 9)

    assert len(authorities(world.bundle("mutating"))) == 1


def test_the_end_of_each_certificate_is_a_metric() -> None:
    world = World()
    replica = Replica(world, Writes())

    replica.round()

    now = world.time.clock.now().timestamp()
    for certificate, minutes in (("serving", 15), ("authority", 60)):
        name = "windlass_certificate_expiry_timestamp_seconds"
        end = replica.registry.get_sample_value(name, {"certificate": certificate})
        assert end == now + minutes * 60


def test_a_fight_with_another_writer_slows_down() -> None:
    world, writes = World(), Writes()
    replica = Replica(world, writes)
    replica.keeper.start()
    world.time.wait_until_idle()
    before = len(writes.made)

    for _ in range(3000):
        # Somebody who undoes what we do, each time within a tenth of a second.
        removed = {"op": "add", "path": "/webhooks/0/clientConfig/caBundle", "value": ""}
        if world.bundle("validating"):
            world.client.json_patch(PLACES["validating"][0], Key("", "shop"), [removed])
        replica.keeper.wake()
        world.time.advance(0.1)
    replica.keeper.stop()

    assert 10 <= len(writes.made) - before <= 25, "five minutes, a write every half a minute in the end"


def test_the_task_looks_by_itself_and_again_after_a_failure() -> None:
    world, writes = World(), Writes()
    replica = Replica(world, writes)

    replica.keeper.start()
    world.time.wait_until_idle()
    assert replica.keeper.problem is None
    world.client.delete(SECRET, SECRET_KEY)
    world.time.advance(31)

    assert world.secret().metadata.name == SECRET_KEY.name
    replica.keeper.stop()
