"""A second controller written by hand: databases of several members, each with a volume, on a machine in a cloud.

It has what such controllers get wrong: something outside of the cluster, children that are found by a label, data
without an owner, settings that the user moves from one database to another, and a specification that can be wrong.
Its mutants are in `tests/simulation/mutants`; each overrides one method.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from apis.core.v1 import ConfigMap
from apis.meta import ApiStruct, Key, KubeObject, ObjectMeta, Request, kind, resource_type_of
from apis.schema import crds_of
from framework.apply.ownership import owner_reference
from framework.client import Client
from framework.controller import ControllerOptions, Mapped, Primary, Source
from framework.errors import NotFound, WindlassError
from framework.finalizers import Finalizer, with_finalizer
from framework.manager import Manager
from framework.reconcile import Result
from framework.testing.simulation import Scenario, User
from tests.simulation.cloud import Cloud, Machine

NAME = "databases"
NAMESPACE = "default"
FINALIZER = "example.dev/database"
AUDIT = "example.dev/audit"
MOST_MEMBERS = 5
POLL_SECONDS = 5.0
# Labels: of members and volumes; of volumes alone; of settings.
DATABASE, VOLUME_OF, TUNES = "database", "volume-of", "tunes"
OPTIONS = ControllerOptions(max_concurrent_reconciles=2)


class DatabaseSpec(ApiStruct, frozen=True, kw_only=True):
    members: int = 1
    version: str = "1"


class DatabaseStatus(ApiStruct, frozen=True, kw_only=True):
    phase: str = ""
    address: str = ""
    members: int = 0


@kind(group="example.dev", version="v1", plural="databases", status=True)
class Database(KubeObject, frozen=True, kw_only=True):
    spec: DatabaseSpec = DatabaseSpec()
    status: DatabaseStatus = DatabaseStatus()


class Databases:
    def __init__(self, manager: Manager, cloud: Cloud) -> None:
        self.manager = manager
        self.cloud = cloud
        self.maps = manager.informer(ConfigMap).lister
        self.client = manager.client_for(NAME)

    def apply(self, database: Database) -> Result:
        if not 1 <= database.spec.members <= MOST_MEMBERS:
            self.say(database, "Invalid")
            return Result.await_change()
        self.bring_members(database)
        self.remove_surplus(database)
        machine = self.bring_machine(database)
        is_ready = self.manager.clock.monotonic() >= machine.ready_at
        self.say(database, "Ready" if is_ready else "Creating", machine.address)
        return Result.await_change() if is_ready else Result.after(POLL_SECONDS)

    def cleanup(self, database: Database) -> None:
        for volume in self.volumes_of(database):
            self.remove(volume)
        self.remove_machine(database)

    def bring_members(self, database: Database) -> None:
        for number in range(database.spec.members):
            # The volume first: a member without one starts with nothing.
            self.bring(self.volume(database, number), database)
            self.bring(self.member(database, number), database)

    def bring(self, wanted: ConfigMap, database: Database) -> None:
        found = self.maps.get(wanted.key)
        if found is None:
            self.client.create(wanted)
        elif not self.is_ours(found, database):
            raise WindlassError(f"{wanted.key} belongs to another; it goes soon, or the name is taken")
        elif found.data != wanted.data:
            # A merge would keep the settings that are gone.
            gone = dict.fromkeys(found.data.keys() - wanted.data.keys())
            patch = {"data": {**gone, **wanted.data}}
            self.client.merge_patch(ConfigMap, found.key, patch, uid=found.metadata.uid)

    def is_ours(self, found: ConfigMap, database: Database) -> bool:
        return database.metadata.uid in (found.metadata.labels.get(VOLUME_OF), _owner_of(found))

    def remove_surplus(self, database: Database) -> None:
        wanted = {f"{database.metadata.name}-{number}" for number in range(database.spec.members)}
        for member in self.members_of(database):
            if member.metadata.name not in wanted:
                self.remove(member)
        for volume in self.volumes_of(database):
            if volume.metadata.name.removesuffix("-volume") not in wanted:
                self.remove(volume)

    def remove(self, child: ConfigMap) -> None:
        with suppress(NotFound):
            self.client.delete(ConfigMap, child.key, uid=child.metadata.uid)

    def bring_machine(self, database: Database) -> Machine:
        # Found by whose it is, and not by what we have written down about it.
        return self.cloud.find(database.metadata.uid, self.manager.clock) or self.create_machine(database)

    def create_machine(self, database: Database) -> Machine:
        uid = database.metadata.uid
        return self.cloud.create(uid, f"machine-{uid}", self.manager.clock)

    def remove_machine(self, database: Database) -> None:
        self.cloud.delete(database.metadata.uid, self.manager.clock)

    def say(self, database: Database, phase: str, address: str = "") -> None:
        members = len(self.members_of(database))
        status = {"phase": phase, "address": address or database.status.address, "members": members}
        if status != _fields_of(database.status):
            self.client.patch_status(database, status)

    def members_of(self, database: Database) -> list[ConfigMap]:
        return [each for each in self.maps.list() if _owner_of(each) == database.metadata.uid]

    def volumes_of(self, database: Database) -> list[ConfigMap]:
        return [each for each in self.maps.list() if each.metadata.labels.get(VOLUME_OF) == database.metadata.uid]

    def settings_of(self, database: Database) -> dict[str, str]:
        """Of all that tune it; the last by name wins."""
        name = database.metadata.name
        tuning = [each for each in self.maps.list() if each.metadata.labels.get(TUNES) == name]
        return {key: value for each in sorted(tuning, key=_name_of) for key, value in each.data.items()}

    def member(self, database: Database, number: int) -> ConfigMap:
        key = Key(NAMESPACE, f"{database.metadata.name}-{number}")
        owner = owner_reference(database, resource_type_of(Database), resource_type_of(ConfigMap), key)
        metadata = ObjectMeta(
            name=key.name,
            namespace=key.namespace,
            labels={DATABASE: database.metadata.name},
            owner_references=[owner],
        )
        return ConfigMap(metadata=metadata, data={"version": database.spec.version, **self.settings_of(database)})

    def volume(self, database: Database, number: int) -> ConfigMap:
        name, uid = database.metadata.name, database.metadata.uid
        labels = {DATABASE: name, VOLUME_OF: uid}
        metadata = ObjectMeta(name=f"{name}-{number}-volume", namespace=NAMESPACE, labels=labels)
        return ConfigMap(metadata=metadata, data={"format": "1"})


def databases_of(obj: ConfigMap) -> Iterator[Request]:
    for label in (DATABASE, TUNES):
        if name := obj.metadata.labels.get(label):
            yield Request(Key(NAMESPACE, name))


def sources(manager: Manager) -> Sequence[Source]:
    return [Primary(manager.informer(Database)), Mapped(manager.informer(ConfigMap), databases_of)]


def register(manager: Manager, cloud: Cloud) -> None:
    databases = Databases(manager, cloud)
    finalizer = Finalizer(databases.client, Database, FINALIZER)
    lister = manager.informer(Database).lister
    reconciler = with_finalizer(finalizer, lister, apply=databases.apply, cleanup=databases.cleanup)
    manager.add_controller(NAME, reconciler, sources(manager), OPTIONS)


def databases(_folder: Path) -> Scenario:
    return _scenario(workload)


def departures(_folder: Path) -> Scenario:
    return _scenario(farewell, prepare)


def _scenario(work: Callable[[User], None], prepare: Callable[[Client], None] | None = None) -> Scenario:
    cloud = Cloud()
    return Scenario(
        {"controller": lambda manager: register(manager, cloud)},
        work,
        definitions=crds_of((Database,)),
        prepare=prepare,
        outside=cloud,
        # What was made before a wrong number stays, so the end depends on whether anything was made before it.
        fixed=("spec.members",),
    )


def workload(user: User) -> None:
    """Make, tune another instead, shrink and upgrade, tune, ask for what cannot be, ask for what was.

    What is undone is undone two waits later, so that a controller which is away
    during one of them has done it nevertheless.
    """
    client, one = user.client, Key(NAMESPACE, "one")
    for name, members in (("one", 2), ("two", 1)):
        client.create(_database(name, members))
    for name, memory in (("tuning-b", "2"), ("tuning-a", "1"), ("tuning-c", "3")):
        metadata = ObjectMeta(name=name, namespace=NAMESPACE, labels={TUNES: "one"})
        client.create(ConfigMap(metadata=metadata, data={"memory": memory, name: "yes"}))
    user.wait_until_quiet()
    client.merge_patch(ConfigMap, Key(NAMESPACE, "tuning-c"), {"metadata": {"labels": {TUNES: "two"}}})
    user.wait_until_quiet()
    client.merge_patch(Database, one, {"spec": {"members": 1, "version": "2"}})
    user.wait_until_quiet()
    client.merge_patch(ConfigMap, Key(NAMESPACE, "tuning-a"), {"data": {"cache": "4"}})
    user.wait_until_quiet()
    client.merge_patch(Database, one, {"spec": {"members": MOST_MEMBERS + 1}})
    user.wait_until_quiet()
    client.merge_patch(Database, one, {"spec": {"members": 2}})


def prepare(client: Client) -> None:
    """A database that somebody else keeps, too."""
    client.create(_database("audited", finalizers=[AUDIT]))


def farewell(user: User) -> None:
    """Make, upgrade, and delete; one of them, which was there before, cannot go until another has let it."""
    client = user.client
    client.create(_database("one", 2))
    user.wait_until_quiet()
    client.merge_patch(Database, Key(NAMESPACE, "one"), {"spec": {"version": "2"}})
    user.wait_until_quiet()
    client.delete(Database, Key(NAMESPACE, "audited"))
    user.wait_until_quiet()
    _remove_audit(client)
    client.delete(Database, Key(NAMESPACE, "one"))


def _database(name: str, members: int = 1, finalizers: Sequence[str] = ()) -> Database:
    metadata = ObjectMeta(name=name, namespace=NAMESPACE, finalizers=list(finalizers))
    return Database(metadata=metadata, spec=DatabaseSpec(members=members))


def _remove_audit(client: Client) -> None:
    audited = client.get(Database, Key(NAMESPACE, "audited"))
    others = [each for each in audited.metadata.finalizers if each != AUDIT]
    version = audited.metadata.resource_version
    client.merge_patch(Database, audited.key, {"metadata": {"finalizers": others}}, resource_version=version)


def _owner_of(obj: ConfigMap) -> str | None:
    owner = obj.metadata.controller_owner
    return None if owner is None else owner.uid


def _name_of(obj: ConfigMap) -> str:
    return obj.metadata.name


def _fields_of(status: DatabaseStatus) -> dict[str, Any]:
    return {"phase": status.phase, "address": status.address, "members": status.members}
