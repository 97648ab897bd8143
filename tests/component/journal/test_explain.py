"""A real manager on the embedded server: what it did, told by its debug page and by the command."""

import io
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from apis.core.v1 import ConfigMap, Secret
from apis.meta import Key, ObjectMeta, Request
from controllers.explain import explain
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.client import Client
from framework.controller import Controller, Mapped, Primary, Source, current_reasons
from framework.errors import WindlassError
from framework.manager import Manager, ManagerOptions
from framework.reconcile import Result
from framework.testing.control_plane.waiting import wait_until

REQUEST = Request(Key("default", "web"))


class Stage:
    """Config maps that are reconciled, with secrets that map to them."""

    def __init__(self) -> None:
        self.server = ApiServer()
        self.client: Client = in_process_client(self.server)
        options = ManagerOptions(debug_address="127.0.0.1:0", namespaces=("default",))
        self.manager = Manager(in_process_client(self.server), options=options)
        self._reconcile: Callable[[Client, Request], Result] = lambda _client, _request: Result.await_change()
        self.controller = self._add_controller()

    def _add_controller(self) -> Controller:
        stage, client = self, self.manager.client_for("web")

        class Reconciler:
            def reconcile(self, request: Request) -> Result:
                return stage._reconcile(client, request)

        sources: list[Source] = [
            Primary(self.manager.informer(ConfigMap)),
            Mapped(
                self.manager.informer(Secret), lambda secret: [Request(Key("default", secret.metadata.labels["for"]))]
            ),
        ]
        return self.manager.add_controller("web", Reconciler(), sources)

    def start(self, reconcile: Callable[[Client, Request], Result]) -> None:
        self._reconcile = reconcile
        self.manager.start()

    def create(self, name: str = "web") -> ConfigMap:
        return self.client.create(ConfigMap(metadata=ObjectMeta(name=name, namespace="default")))

    def create_secret(self, name: str) -> Secret:
        labels = {"for": "web"}
        return self.client.create(Secret(metadata=ObjectMeta(name=name, namespace="default", labels=labels)))

    def wait_for_runs(self, number: int) -> None:
        def have_ended() -> bool:
            count, runs = self.controller.journal.look(REQUEST)
            return count >= number and all(run.took_seconds is not None for run in runs)

        assert wait_until(have_ended, limit_seconds=60.0)

    def explained(self, kind: str = "cm", name: str = "default/web") -> str:
        out = io.StringIO()
        explain([kind, name, f"-address=127.0.0.1:{self.manager.ports['debug']}"], {}, out)
        return out.getvalue()

    def stop(self) -> None:
        self.manager.stop()
        self.server.close()


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = Stage()
    yield made
    made.stop()


def once(act: Callable[[Client], Any]) -> Callable[[Client, Request], Result]:
    """A reconciler that does *act* at its first reconcile of the object."""
    remaining = [act]

    def reconcile(client: Client, request: Request) -> Result:
        if request == REQUEST and remaining:
            remaining.pop()(client)
        return Result.await_change()

    return reconcile


def test_creation_a_change_and_a_change_of_a_mapped_object_are_told_with_their_versions(stage: Stage) -> None:
    stage.start(once(lambda _client: None))
    created = stage.create()
    stage.wait_for_runs(1)
    changed = stage.client.merge_patch(ConfigMap, created.metadata.key, {"data": {"a": "b"}})
    stage.wait_for_runs(2)
    secret = stage.create_secret("keys")
    stage.wait_for_runs(3)

    told = stage.explained()

    versions = created.metadata.resource_version, changed.metadata.resource_version
    assert told.splitlines()[0] == "ConfigMap default/web, web: 3 reconciles, the newest last"
    assert f"why     configmaps default/web was created: version {versions[0]}\n" in told
    assert f"why     configmaps default/web changed: version {versions[0]} → {versions[1]}\n" in told
    assert f"why     secrets default/keys was created: version {secret.metadata.resource_version}\n" in told


def test_reads_and_writes_are_told_with_the_versions_they_led_to(stage: Stage) -> None:
    def act(client: Client) -> None:
        client.get(ConfigMap, REQUEST.key)
        client.merge_patch(ConfigMap, REQUEST.key, {"data": {"a": "b"}})
        client.list(Secret, "default")
        client.delete(ConfigMap, Key("default", "web"))

    stage.start(once(act))
    created = stage.create()
    stage.wait_for_runs(1)

    told = stage.explained()

    assert f"    read    get configmaps default/web: version {created.metadata.resource_version}\n" in told
    assert "            list secrets default\n" in told
    assert "    wrote   patch configmaps default/web: version " in told
    assert "            delete configmaps default/web\n" in told


def test_failure_is_told_with_its_error_and_the_next_try_with_its_reason(stage: Stage) -> None:
    def act(client: Client) -> None:
        client.merge_patch(ConfigMap, REQUEST.key, {"data": {}}, resource_version="1")

    stage.start(once(act))
    stage.create()
    stage.wait_for_runs(2)

    told = stage.explained()

    assert "wrote   patch configmaps default/web: Conflict: " in told
    assert "result  failed; tries again, after " in told
    assert "error   Conflict: Operation cannot be fulfilled" in told
    assert re.search(r"    next    [0-5]\.\dms after its end, or at the next change\n", told)
    assert "why     it failed before, with Conflict\n" in told


def test_what_looks_like_a_credential_is_nowhere_on_the_page(stage: Stage) -> None:
    def act(_client: Client) -> None:
        raise WindlassError("the cloud refused password=hunter2hunter2")

    stage.start(once(act))
    stage.create()
    stage.wait_for_runs(2)

    told = stage.explained()

    assert "password=[redacted]" in told
    assert "hunter2" not in told


def test_reconciler_is_told_the_same_reasons(stage: Stage) -> None:
    told: list[tuple[str, str, object]] = []

    def reconcile(_client: Client, _request: Request) -> Result:
        told.extend((each.what, each.source, each.subject) for each in current_reasons())
        return Result.await_change()

    stage.start(reconcile)
    stage.create()
    stage.wait_for_runs(1)

    assert told == [("created", "configmaps", REQUEST.key)]


def test_object_that_nobody_has_seen_is_one_line(stage: Stage) -> None:
    stage.start(once(lambda _client: None))

    with pytest.raises(WindlassError, match="default/nobody has not been reconciled by web, or not lately"):
        stage.explained(name="default/nobody")


def test_what_was_read_from_caches_is_told_with_the_version_that_the_cache_had(stage: Stage) -> None:
    config_maps, secrets = stage.manager.informer(ConfigMap).lister, stage.manager.informer(Secret).lister

    def act(_client: Client) -> None:
        config_maps.get(REQUEST.key)
        config_maps.get(REQUEST.key)
        secrets.get(Key("default", "nobody"))
        secrets.list("default")

    stage.start(once(act))
    created = stage.create()
    stage.wait_for_runs(1)

    assert (
        f"    cache   configmaps default/web: version {created.metadata.resource_version}\n"
        "            secrets default/nobody: not there\n"
        "            0 secrets in default\n"
        "    result"
    ) in stage.explained()


def test_number_of_cache_reads_is_bounded_and_the_rest_is_counted(stage: Stage) -> None:
    config_maps = stage.manager.informer(ConfigMap).lister

    def act(_client: Client) -> None:
        for number in range(100):
            config_maps.get(Key("default", f"name-{number}"))

    stage.start(once(act))
    stage.create()
    stage.wait_for_runs(1)

    told = stage.explained()

    assert told.count("not there") == 16
    assert "            and 84 more\n" in told
