"""The tests that one ordinarily writes for the controller in `tests/simulation/databases.py`."""

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request
from apis.schema import crds_of
from framework.errors import NotFound, ServerError, WindlassError
from tests.simulation import databases
from tests.simulation.cloud import BOOT_SECONDS, Cloud
from tests.simulation.databases import Database, DatabaseSpec
from tests.simulation.ordinary.bench import NAMESPACE, Bench

ONE = Key(NAMESPACE, "one")


class Shop(Bench):
    """With the cloud beside it."""

    def __init__(self) -> None:
        super().__init__(crds_of((Database,)))
        self.cloud = Cloud()
        self.register(lambda manager: databases.register(manager, self.cloud))

    def create(self, *, members: int = 1, finalizers: list[str] | None = None) -> Database:
        metadata = ObjectMeta(name="one", namespace=NAMESPACE, finalizers=finalizers or [])
        return self.client.create(Database(metadata=metadata, spec=DatabaseSpec(members=members)))

    def tune(self, name: str, database: str, **data: str) -> None:
        metadata = ObjectMeta(name=name, namespace=NAMESPACE, labels={databases.TUNES: database})
        self.client.create(ConfigMap(metadata=metadata, data=data))

    def boot(self) -> None:
        self.settle("one")
        self.clock.seconds += BOOT_SECONDS
        self.settle("one")

    @property
    def machines(self) -> dict[str, int]:
        counts: dict[str, int] = self.cloud.state()["machines"]
        return counts

    @property
    def database(self) -> Database:
        return self.client.get(Database, ONE)

    def data_of(self, name: str) -> dict[str, str]:
        return self.client.get(ConfigMap, Key(NAMESPACE, name)).data


@pytest.fixture
def shop() -> Shop:
    return Shop()


@pytest.fixture
def running(shop: Shop) -> Shop:
    """With a database of two members."""
    shop.create(members=2)
    shop.boot()
    return shop


def test_members_and_volumes_are_made(shop: Shop) -> None:
    shop.create(members=2)

    shop.settle("one")

    assert shop.maps() == {"one-0", "one-0-volume", "one-1", "one-1-volume"}
    assert shop.data_of("one-0") == {"version": "1"}


def test_members_are_owned_and_volumes_are_not(shop: Shop) -> None:
    uid = shop.create().metadata.uid

    shop.settle("one")

    member, volume = shop.map("one-0"), shop.map("one-0-volume")
    assert member is not None
    assert [each.uid for each in member.metadata.owner_references] == [uid]
    assert volume is not None
    assert volume.metadata.owner_references == []


def test_one_machine_is_made_for_a_database(shop: Shop) -> None:
    uid = shop.create().metadata.uid

    shop.settle("one")
    shop.settle("one")

    assert shop.machines == {uid: 1}


def test_a_database_is_looked_at_again_while_its_machine_boots(shop: Shop) -> None:
    shop.create()

    result = shop.settle("one")

    assert result.requeue_after_seconds == databases.POLL_SECONDS
    assert shop.database.status.phase == "Creating"


def test_a_database_is_ready_when_its_machine_is(running: Shop) -> None:
    status = running.database.status

    assert (status.phase, status.members) == ("Ready", 2)
    assert status.address.startswith("machine-")


def test_a_new_version_reaches_the_members(running: Shop) -> None:
    running.client.merge_patch(Database, ONE, {"spec": {"version": "2"}})

    running.settle("one")

    assert [running.data_of(f"one-{number}") for number in range(2)] == [{"version": "2"}] * 2


def test_a_database_grows(running: Shop) -> None:
    running.client.merge_patch(Database, ONE, {"spec": {"members": 3}})

    running.settle("one")

    assert "one-2" in running.maps()
    assert running.database.status.members == 3


def test_a_database_shrinks_with_its_volumes(running: Shop) -> None:
    running.client.merge_patch(Database, ONE, {"spec": {"members": 1}})

    running.settle("one")

    assert running.maps() == {"one-0", "one-0-volume"}
    assert running.database.status.members == 1


@pytest.mark.parametrize("members", [0, databases.MOST_MEMBERS + 1])
def test_a_number_of_members_that_cannot_be_is_said_and_changes_nothing(running: Shop, members: int) -> None:
    before = running.maps()

    running.client.merge_patch(Database, ONE, {"spec": {"members": members}})
    running.settle("one")

    assert running.database.status.phase == "Invalid"
    assert running.maps() == before


def test_settings_reach_the_members(running: Shop) -> None:
    running.tune("tuning", "one", memory="1")
    running.tune("other", "two", memory="2")

    running.settle("one")

    assert running.data_of("one-0") == {"version": "1", "memory": "1"}


def test_of_several_settings_the_last_by_name_wins(running: Shop) -> None:
    running.tune("b", "one", memory="2")
    running.tune("a", "one", memory="1")

    running.settle("one")

    assert running.data_of("one-0")["memory"] == "2"


def test_settings_that_are_deleted_are_taken_back(running: Shop) -> None:
    running.tune("tuning", "one", memory="1")
    running.settle("one")

    running.client.delete(ConfigMap, Key(NAMESPACE, "tuning"))
    running.settle("one")

    assert running.data_of("one-0") == {"version": "1"}


def test_a_member_that_was_deleted_comes_back(running: Shop) -> None:
    running.client.delete(ConfigMap, Key(NAMESPACE, "one-0"))

    running.settle("one")

    assert "one-0" in running.maps()


def test_what_is_settled_is_not_written_to(running: Shop) -> None:
    before = running.database.metadata.resource_version

    running.reconcile("one")

    assert running.database.metadata.resource_version == before


def test_a_deleted_database_takes_everything_along(running: Shop) -> None:
    running.client.delete(Database, ONE)

    running.settle("one")

    assert running.maps() == set()
    assert running.machines == {}
    with pytest.raises(NotFound):
        running.client.get(Database, ONE)


def test_a_database_stays_while_a_volume_cannot_be_deleted(running: Shop) -> None:
    running.client.delete(Database, ONE)

    with running.failing("delete"), pytest.raises(ServerError):
        running.reconcile("one")

    assert running.database.metadata.finalizers == [databases.FINALIZER]
    running.settle("one")
    assert running.maps() == set()


def test_a_database_whose_machine_is_gone_already_can_go(running: Shop) -> None:
    running.cloud.reset()
    running.client.delete(Database, ONE)

    running.settle("one")

    assert running.maps() == set()


def test_the_finalizer_of_another_stays(shop: Shop) -> None:
    shop.create(finalizers=[databases.AUDIT])
    shop.boot()

    shop.client.delete(Database, ONE)
    shop.settle("one")

    assert shop.database.metadata.finalizers == [databases.AUDIT]


def test_what_belongs_to_another_is_left_alone(shop: Shop) -> None:
    shop.client.create(ConfigMap(metadata=ObjectMeta(name="one-0", namespace=NAMESPACE), data={"mine": "yes"}))
    shop.create()

    with pytest.raises(WindlassError, match="belongs to another"):
        shop.reconcile("one")

    assert shop.data_of("one-0") == {"mine": "yes"}


def test_a_member_that_cannot_be_made_is_an_error_and_made_later(shop: Shop) -> None:
    shop.create()

    with shop.failing("create"), pytest.raises(ServerError):
        shop.settle("one")

    shop.settle("one")
    assert shop.maps() == {"one-0", "one-0-volume"}


def test_a_change_of_a_child_or_a_setting_is_a_request_for_its_database() -> None:
    def requests(labels: dict[str, str]) -> list[Request]:
        return list(databases.databases_of(ConfigMap(metadata=ObjectMeta(name="any", labels=labels))))

    assert requests({databases.DATABASE: "one"}) == [Request(ONE)]
    assert requests({databases.TUNES: "one"}) == [Request(ONE)]
    assert requests({}) == []
