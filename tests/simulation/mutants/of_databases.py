"""Mutants of the controller in `tests/simulation/databases.py`."""

from collections.abc import Sequence
from contextlib import suppress

from apis.core.v1 import ConfigMap
from apis.meta import Key
from framework.controller import Primary, Source
from framework.errors import TerminalError, WindlassError
from framework.manager import Manager
from framework.reconcile import Result
from tests.simulation import databases
from tests.simulation.cloud import Cloud, Machine
from tests.simulation.databases import MOST_MEMBERS, NAMESPACE, TUNES, Database, Databases
from tests.simulation.mutants.mutant import Change, Mutant


class MachineByStatus(Databases):
    def bring_machine(self, database: Database) -> Machine:
        is_known = bool(database.status.address)
        return super().bring_machine(database) if is_known else self.create_machine(database)


class MachineGoneIsAnError(Databases):
    def remove_machine(self, database: Database) -> None:
        if not self.cloud.delete(database.metadata.uid, self.manager.clock):
            raise TerminalError(f"there is no machine of {database.key}")


class MachineByName(Databases):
    def bring_machine(self, database: Database) -> Machine:
        name, clock = database.metadata.name, self.manager.clock
        return self.cloud.find(name, clock) or self.cloud.create(name, f"machine-{name}", clock)

    def remove_machine(self, database: Database) -> None:
        self.cloud.delete(database.metadata.name, self.manager.clock)


class CleanupErrorsSwallowed(Databases):
    def cleanup(self, database: Database) -> None:
        with suppress(WindlassError):
            super().cleanup(database)


class VolumesByMember(Databases):
    def remove_surplus(self, database: Database) -> None:
        for member in self.members_of(database):
            number = member.metadata.name.rpartition("-")[2]
            if int(number) >= database.spec.members:
                self.remove(member)
                volume = self.maps.get(Key(NAMESPACE, f"{member.metadata.name}-volume"))
                if volume is not None:
                    self.remove(volume)


class VolumesByNumber(Databases):
    def cleanup(self, database: Database) -> None:
        for number in range(database.status.members):
            volume = self.maps.get(self.volume(database, number).key)
            if volume is not None:
                self.remove(volume)
        self.remove_machine(database)


class SettingsReadOnce(Databases):
    def __init__(self, manager: Manager, cloud: Cloud) -> None:
        super().__init__(manager, cloud)
        self.settings: dict[str, dict[str, str]] = {}

    def settings_of(self, database: Database) -> dict[str, str]:
        return self.settings.setdefault(database.metadata.uid, super().settings_of(database))


class SettingsAsTheyCome(Databases):
    def settings_of(self, database: Database) -> dict[str, str]:
        name = database.metadata.name
        tuning = [each for each in self.maps.list() if each.metadata.labels.get(TUNES) == name]
        return {key: value for each in tuning for key, value in each.data.items()}


class SettingsOnlyAdded(Databases):
    def bring(self, wanted: ConfigMap, database: Database) -> None:
        found = self.maps.get(wanted.key)
        if found is None or not found.data.items() >= wanted.data.items():
            super().bring(wanted, database)


class StuckAfterBadSpec(Databases):
    def apply(self, database: Database) -> Result:
        if database.status.phase == "Invalid":
            return Result.await_change()
        return super().apply(database)


class BadSpecHalfDone(Databases):
    def apply(self, database: Database) -> Result:
        if database.spec.members > MOST_MEMBERS:
            for member in self.members_of(database):
                self.remove(member)
        return super().apply(database)


class NeverUpdated(Databases):
    def bring(self, wanted: ConfigMap, database: Database) -> None:
        if self.maps.get(wanted.key) is None:
            super().bring(wanted, database)


class NotLookedAtAgain(Databases):
    def apply(self, database: Database) -> Result:
        super().apply(database)
        return Result.await_change()


class Spins(Databases):
    def bring_machine(self, database: Database) -> Machine:
        machine = super().bring_machine(database)
        while self.manager.clock.monotonic() < machine.ready_at:
            self.client.get(Database, database.key)
        return machine


class CreateOnce(Databases):
    def bring_members(self, database: Database) -> None:
        for number in range(database.spec.members):
            volume, member = self.volume(database, number), self.member(database, number)
            if self.maps.get(member.key) is None:
                self.client.create(volume)
            self.bring(member, database)


def _without_settings(manager: Manager) -> Sequence[Source]:
    return [Primary(manager.informer(Database))]


def _that_stays(name: str, bug: str, reconciler: type[Databases], *others: Change, known_from: str = "") -> Mutant:
    return Mutant(
        name, bug, databases.databases, [(databases, "Databases", reconciler), *others], known_from=known_from
    )


def _that_goes(name: str, bug: str, reconciler: type[Databases], *, known_from: str) -> Mutant:
    return Mutant(name, bug, databases.departures, [(databases, "Databases", reconciler)], known_from=known_from)


MUTANTS = (
    _that_stays(
        "machine-by-status",
        "what was made outside is known by a note that a crash can lose",
        MachineByStatus,
        known_from="Sieve, intermediate state; laf creationform_controller.go",
    ),
    _that_goes(
        "machine-gone-is-an-error",
        "what is gone outside already cannot be deleted, for ever",
        MachineGoneIsAnError,
        known_from="peer pods, 23",
    ),
    _that_stays(
        "machine-by-name",
        "cleanup is keyed by name and not by uid",
        MachineByName,
        known_from="Sieve, the successor of the same name",
    ),
    _that_goes(
        "cleanup-errors-swallowed",
        "the finalizer goes although the cleanup failed",
        CleanupErrorsSwallowed,
        known_from="peer pods, 27",
    ),
    _that_stays(
        "volumes-by-member",
        "data goes with its member, and stays if the member is gone already",
        VolumesByMember,
        known_from="Sieve, leftover volumes",
    ),
    _that_goes(
        "volumes-by-number",
        "cleanup counts on the status to say what there is",
        VolumesByNumber,
        known_from="Sieve, leftover volumes",
    ),
    _that_stays(
        "settings-read-once",
        "what is read once is never read again",
        SettingsReadOnce,
        known_from="peer pods, 19",
    ),
    _that_stays(
        "settings-as-they-come",
        "who comes last wins, and after a start another comes last",
        SettingsAsTheyCome,
        known_from="workers, 5",
    ),
    _that_stays(
        "settings-only-added",
        "what is taken back stays",
        SettingsOnlyAdded,
        known_from="Acto, undesired state",
    ),
    _that_stays(
        "settings-not-watched",
        "only the object itself is watched",
        Databases,
        (databases, "sources", _without_settings),
        known_from="peer pods, 8",
    ),
    _that_stays(
        "stuck-after-bad-spec",
        "who once was wrong is never looked at again",
        StuckAfterBadSpec,
        known_from="Acto, recovery failure",
    ),
    _that_stays(
        "bad-spec-half-done",
        "a bad specification is refused after the first half of the work",
        BadSpecHalfDone,
        known_from="Acto, error state; peer pods, 11",
    ),
    _that_stays(
        "never-updated",
        "children are made and never changed",
        NeverUpdated,
        known_from="workers, 6; laf instance_controller.go:381",
    ),
    _that_stays(
        "not-looked-at-again",
        "what takes its time is never looked at again",
        NotLookedAtAgain,
        known_from="laf application_controller.go:216",
    ),
    _that_stays(
        "spins",
        "waits inside a reconcile, without a pause",
        Spins,
        known_from="workers, 1",
    ),
    _that_stays(
        "create-once",
        "what exists already is an error, and what should follow never comes",
        CreateOnce,
        known_from="laf database.go:34",
    ),
)
