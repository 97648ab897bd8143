"""Applications on a hub, where controllers that are no part of the test make Instances and Databases ready."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from apis.core.v1 import Namespace
from apis.laf.application import Application, ApplicationSpec
from apis.laf.bundle import Bundle
from apis.laf.instance import Instance
from apis.laf.runtime import Runtime
from apis.meta import Key, ObjectMeta, Request, Unstructured
from apis.registry import LAF_KINDS
from apis.schema import crds_of
from controllers.application import register_application
from controllers.laf.optional_kinds import DATABASE, OptionalKinds
from controllers.laf.optional_objects import is_ready, storage_of
from controllers.laf.settings import LafSettings
from controllers.reporting.observation import Observation
from controllers.reporting.status_writer import StatusWriter
from framework.client import Client
from framework.controller import Primary
from framework.errors import NotFound
from framework.finalizers import Finalizer, with_finalizer
from framework.informers import DEFINITIONS
from framework.manager import Manager
from framework.reconcile import Result
from framework.testing.simulation import Limits, Scenario, User
from tests.simulation.laf_catalogue import NODE, SMALL, SYSTEM, TENANT, named

SETTINGS = LafSettings()
SHOP = Key(TENANT, "shop")
SPEC = ApplicationSpec(appid="shop01", region="east", bundle_name="small", runtime_name="node")
PASSWORD = "made-up-for-the-simulation"
_TEXTS = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
DATABASE_DEFINITION: dict[str, Any] = {
    "metadata": {"name": DATABASE.name},
    "spec": {
        "group": DATABASE.gvk.group,
        "scope": "Namespaced",
        "names": {"plural": "databases", "singular": "database", "kind": "Database", "listKind": "DatabaseList"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {"type": "object", "properties": {"spec": _TEXTS, "status": _TEXTS}},
                },
                "subresources": {"status": {}},
            }
        ],
    },
}


class InstancePlayer:
    """As much of the controller of Instances as Applications see."""

    def __init__(self, manager: Manager, client: Client) -> None:
        recorder = manager.recorder_for("instance")
        self._status: StatusWriter[Instance] = StatusWriter(
            client, recorder, manager.clock, problems=frozenset(), action="Play"
        )

    def apply(self, instance: Instance) -> Result:
        ready = Observation("Ready", "True", "Ready")
        self._status.write(instance, ready, clusterUID="here", observedGeneration=instance.metadata.generation)
        return Result.await_change()


class DatabasePlayer:
    def __init__(self, optional: OptionalKinds, client: Client) -> None:
        self._optional = optional
        self._client = client

    def reconcile(self, request: Request) -> Result:
        lister = self._optional.lister_of(DATABASE)
        database = None if lister is None else lister.get(request.key)
        if database is not None and not is_ready(database):
            status = {"conditions": [{"type": "Ready", "status": "True"}]}
            self._client.patch_status(database, status, kind=DATABASE)
        return Result.await_change()


def register(manager: Manager) -> None:
    optional = OptionalKinds(manager)
    register_application(manager, SETTINGS, optional, passwords=lambda: PASSWORD)
    instances, client = manager.informer(Instance), manager.client_for("instance")
    finalizer = Finalizer(client, Instance, "instance.finalizers.laf.dev")
    player = InstancePlayer(manager, client)
    reconciler = with_finalizer(finalizer, instances.lister, apply=player.apply, cleanup=lambda _: None)
    manager.add_controller("instance", reconciler, [Primary(instances)])
    database_player = DatabasePlayer(optional, manager.client_for("database"))

    def itself(database: Unstructured) -> list[Request]:
        return [Request(database.key)]

    manager.add_controller("database", database_player, [optional.source_of(DATABASE, itself, list)])


def prepare(client: Client) -> None:
    for name in (SYSTEM, TENANT):
        client.create(Namespace(metadata=ObjectMeta(name=name)))
    client.create(Bundle(metadata=named("small"), spec=SMALL))
    client.create(Runtime(metadata=named("node"), spec=NODE))


def has_database(client: Client, storage: str) -> bool:
    """Whether that of the shop is ready, and as large."""
    try:
        found: Unstructured = client.get(DATABASE, Key(TENANT, SPEC.appid))
    except NotFound:
        return False
    return is_ready(found) and storage_of(found) == storage


def applications(_folder: Path) -> Scenario:
    """Run, meet a rival, stop, get a database, run again with more room in it, and make way for the rival."""

    def workload(user: User) -> None:
        client = user.client

        def is_in(phase: str) -> Callable[[], bool]:
            return lambda: client.get(Application, SHOP).status.state == phase

        # Not merely quiet: nothing may be undone before it was done, however long a process was away.
        client.create(Application(metadata=named("shop", TENANT), spec=SPEC))
        user.wait_until(is_in("Running"))
        client.create(Application(metadata=named("rival", TENANT), spec=SPEC))
        client.merge_patch(Application, SHOP, {"spec": {"state": "Stopped"}})
        user.wait_until(is_in("Stopped"))
        client.apply(DEFINITIONS, DATABASE_DEFINITION)
        user.wait_until(lambda: has_database(client, "2Gi"))
        client.merge_patch(Application, SHOP, {"spec": {"state": "Running"}})
        client.merge_patch(Bundle, Key(SYSTEM, "small"), {"spec": {"databaseCapacity": "3Gi"}})
        user.wait_until(lambda: has_database(client, "3Gi") and is_in("Running")())
        client.delete(Application, SHOP)

    return Scenario(
        {"controller": register},
        workload,
        definitions=crds_of(LAF_KINDS),
        prepare=prepare,
        # Who asks first has the appid.
        depends_on_when=True,
        quiet_seconds=200.0,
        # Three controllers and nine caches: when the server cannot be reached, each of them tries again by itself.
        limits=Limits(requests_per_minute=600),
    )
