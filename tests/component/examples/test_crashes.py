"""The controllers in `examples` may die before any of their lines, and what they made is the same in the end."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from apis.meta import Key, KubeObject, ObjectMeta, Unstructured
from apis.schema import crd_of
from examples import shared_folder, website
from examples.shared_folder import SharedFolder, SharedFolderSpec
from examples.website import DEPLOYMENTS, Website, WebsiteSpec
from framework.apiserver.controllers import builtin_controllers
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.client import Client
from framework.errors import NotFound
from tests.component.apply.stage import CUSTOM_RESOURCE_DEFINITION
from tests.component.examples.mortal import Life

KEY = Key("default", "first")
METADATA = ObjectMeta(name="first", namespace="default")


def server_with(kind: type[KubeObject]) -> tuple[ApiServer, Client]:
    server = ApiServer()
    client = in_process_client(server)
    client.apply(CUSTOM_RESOURCE_DEFINITION, crd_of(kind))
    builtin_controllers(server).settle()
    return server, client


def deployment(client: Client) -> dict[str, Any] | None:
    try:
        found: KubeObject = client.get(DEPLOYMENTS, KEY)
    except NotFound:
        return None
    assert isinstance(found, Unstructured)
    return found.content


def run_website(last: int | None) -> list[int]:
    """Make a Website of two replicas, let them become ready, scale to three."""
    server, client = server_with(Website)
    created = client.create(Website(metadata=METADATA, spec=WebsiteSpec(image="web:1", replicas=2)))
    life = Life(server, website.register, Path(website.__file__), last)

    def replicas() -> int:
        return int((deployment(client) or {}).get("spec", {}).get("replicas", 0))

    life.until(lambda: replicas() == 2)
    uid = (deployment(client) or {})["metadata"]["uid"]
    client.merge_patch(DEPLOYMENTS, KEY, {"status": {"replicas": 2, "readyReplicas": 2}}, subresource="status")
    life.until(lambda: client.get(Website, KEY).status.ready_replicas == 2)
    client.merge_patch(Website, KEY, {"spec": {"replicas": 3}})
    life.until(lambda: replicas() == 3)

    lines = life.end()
    made = deployment(client) or {}
    assert made["metadata"]["uid"] == uid
    assert [owner["uid"] for owner in made["metadata"]["ownerReferences"]] == [created.metadata.uid]
    assert made["spec"]["template"]["spec"]["containers"][0]["image"] == "web:1"
    return lines


def run_shared_folder(last: int | None, root: Path) -> list[int]:
    """Make a SharedFolder, change it, delete it."""
    server, client = server_with(SharedFolder)
    created = client.create(SharedFolder(metadata=METADATA, spec=SharedFolderSpec(greeting="hi")))
    path = root / created.metadata.uid
    life = Life(server, lambda manager: shared_folder.register(manager, root), Path(shared_folder.__file__), last)

    def text() -> str:
        return (path / "README").read_text() if (path / "README").exists() else ""

    life.until(lambda: client.get(SharedFolder, KEY).status.path == str(path) and text() == "hi")
    client.merge_patch(SharedFolder, KEY, {"spec": {"greeting": "bye"}})
    life.until(lambda: text() == "bye")
    client.delete(SharedFolder, KEY)
    life.until(lambda: client.list(SharedFolder) == [])

    assert list(root.iterdir()) == []
    return life.end()


def test_a_website_survives_the_end_of_its_controller_before_any_line() -> None:
    _die_before_each_line(run_website)


def test_a_shared_folder_survives_the_end_of_its_controller_before_any_line(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    _die_before_each_line(lambda last: run_shared_folder(last, tmp_path_factory.mktemp("folders")))


def _die_before_each_line(run: Callable[[int | None], list[int]]) -> None:
    lines = run(None)
    assert lines
    for last in lines:
        run(last)
