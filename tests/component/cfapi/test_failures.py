"""Parts that fail under an upload: what was stored goes, and what was there stays."""

from collections.abc import Iterator
from typing import Any

import pytest

from apis.cfworker.selector import LabelSelector, LabelSelectorRequirement
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.core.v1 import Secret
from apis.meta import Key, ObjectMeta
from controllers.scriptstorage.errors import StorageUnavailable
from controllers.scriptstorage.objects import StoredObject
from framework.testing.control_plane.waiting import wait_until
from tests.component.cfapi.world import MakeWorld, World, hello

SCRIPT = "/accounts/acme/workers/scripts/hello"


OWNER = {
    "apiVersion": "api.worker-deployment/v1alpha1",
    "kind": "WorkerDeployment",
    "name": "acme.hello",
    "controller": True,
    "blockOwnerDeletion": True,
}


class FailingObjects:
    """A bucket in memory that fails when the marker is to be put."""

    bucket = "scripts"

    def __init__(self, fails_at: str = "_worker.json") -> None:
        self.content: dict[str, bytes] = {}
        self._fails_at = fails_at

    def get(self, key: str, **_: Any) -> bytes | None:
        return self.content.get(key)

    def list(self, prefix: str, **_: Any) -> Iterator[StoredObject]:
        return (StoredObject(key, len(self.content[key])) for key in self.content if key.startswith(prefix))

    def put(self, key: str, content: bytes, **_: Any) -> None:
        if key.endswith(self._fails_at):
            raise StorageUnavailable("bucket scripts: PutObject: 503")
        self.content[key] = content

    def delete_prefix(self, prefix: str) -> int:
        keys = [key for key in self.content if key.startswith(prefix)]
        for key in keys:
            del self.content[key]
        return len(keys)

    def check(self) -> None:
        raise StorageUnavailable("bucket scripts: ListObjects: 503")

    def close(self) -> None: ...


def test_storage_that_fails_under_an_upload_leaves_nothing_behind(make_world: MakeWorld) -> None:
    objects = FailingObjects()
    world = make_world(objects=objects)

    assert world.error("PUT", SCRIPT, files=hello()) == (503, 10013)

    assert objects.content == {}
    assert world.client.list(WorkerDeployment, world.namespace) == []


def test_api_is_not_ready_without_its_storage(make_world: MakeWorld) -> None:
    world = make_world(objects=FailingObjects())

    answer = world.get("/readyz")

    assert answer.status_code == 500
    assert "s3: bucket scripts" in answer.text


def test_object_that_the_cluster_refuses_leaves_no_code_behind(world: World) -> None:
    # Somebody else's, by its label.
    other = ObjectMeta(
        name="acme.hello.secrets", namespace=world.namespace, labels={"api.cf-worker/account": "elsewhere"}
    )
    world.client.create(Secret(metadata=other, type="Opaque", data={"A": b"theirs"}))

    files = hello(bindings=[{"name": "A", "type": "secret_text", "text": "ours"}])

    assert world.error("PUT", SCRIPT, files=files) == (403, 10000)
    assert world.keys() == []
    assert wait_until(lambda: world.client.list(WorkerDeployment, world.namespace) == [], limit_seconds=10)
    assert world.secret("hello") == {"A": b"theirs"}


def test_secret_of_a_script_that_was_deleted_is_not_that_of_the_next(world: World) -> None:
    world.result("PUT", SCRIPT, files=hello(bindings=[{"name": "OLD", "type": "secret_text", "text": "s3cr3t"}]))
    # As if the collector of garbage had not come by yet.
    stale = {"metadata": {"ownerReferences": [{**OWNER, "uid": "00000000-0000-0000-0000-000000000000"}]}}
    world.client.merge_patch(Secret, Key(world.namespace, "acme.hello.secrets"), stale)

    assert world.result("GET", f"{SCRIPT}/secrets") == []
    world.result("PUT", f"{SCRIPT}/secrets", json={"name": "NEW", "text": "s3cr3t-too"})

    secret = world.client.get(Secret, Key(world.namespace, "acme.hello.secrets"))
    assert list(secret.data) == ["NEW"]
    assert [owner.uid for owner in secret.metadata.owner_references] == [world.deployment("hello").metadata.uid]


def test_deployment_of_another_account_is_not_touched(world: World) -> None:
    world.result("PUT", SCRIPT, files=hello())
    key = Key(world.namespace, "acme.hello")
    world.client.merge_patch(WorkerDeployment, key, {"metadata": {"labels": {"api.cf-worker/account": "elsewhere"}}})
    before = world.keys()

    assert world.error("PUT", SCRIPT, files=hello("two")) == (403, 10000)
    assert world.error("GET", f"{SCRIPT}/settings") == (403, 10000)
    assert world.keys() == before


def test_labels_are_those_that_the_account_selects(world: World) -> None:
    requirements = [
        LabelSelectorRequirement(key="tier", operator="In", values=["gold", "silver"]),
        LabelSelectorRequirement(key="mine", operator="Exists"),
        LabelSelectorRequirement(key="old", operator="DoesNotExist"),
    ]
    selector = LabelSelector(match_labels={"accounts": "acme", "zone": "a"}, match_expressions=requirements)
    change_selector(world, selector)

    world.result("PUT", SCRIPT, files=hello())

    labels = world.releases()[0].metadata.labels
    assert {name: labels[name] for name in ("accounts", "zone", "tier", "mine")} == {
        "accounts": "acme",
        "zone": "a",
        "tier": "gold",
        "mine": "",
    }


@pytest.mark.parametrize(
    "requirement",
    [
        LabelSelectorRequirement(key="scripts", operator="In", values=["another"]),
        LabelSelectorRequirement(key="accounts", operator="DoesNotExist"),
        LabelSelectorRequirement(key="a", operator="Nonsense"),
    ],
)
def test_upload_that_no_selector_can_match_is_refused(world: World, requirement: LabelSelectorRequirement) -> None:
    change_selector(world, LabelSelector(match_expressions=[requirement]))

    assert world.error("PUT", SCRIPT, files=hello()) == (400, 10400)
    assert world.keys() == []


def change_selector(world: World, selector: LabelSelector) -> None:
    account = world.client.get(WorkerAccount, Key(world.namespace, "acme"))
    wanted = {
        "matchLabels": selector.match_labels,
        "matchExpressions": [
            {"key": each.key, "operator": each.operator, **({"values": each.values} if each.values else {})}
            for each in selector.match_expressions
        ],
    }
    world.client.json_patch(
        WorkerAccount, account.key, [{"op": "replace", "path": "/spec/workerReleaseSelector", "value": wanted}]
    )
    accounts = world.manager.informer(WorkerAccount).lister

    def has_arrived() -> bool:
        seen = accounts.get(account.key)
        return seen is not None and seen.spec.worker_release_selector == selector

    assert wait_until(has_arrived, limit_seconds=10)
