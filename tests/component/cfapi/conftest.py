from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from controllers.definitions import install_crds
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from tests.component.cfapi.world import MakeWorld, World, hello
from tests.component.cfapi.wrangler import Wrangler
from tests.component.conftest import temporary_namespace
from tests.integration.workers_build.parts import wrangler_program
from tests.integration.workers_build.storage import Storage


@pytest.fixture(scope="session")
def moto_storage() -> Iterator[Storage]:
    started = Storage()
    yield started
    started.close()


@pytest.fixture(scope="session")
def definitions(client: Client) -> None:
    install_crds(client)


@pytest.fixture(scope="session")
def connected(kubeconfig: Path) -> Callable[[], Client]:
    return lambda: connect(from_kubeconfig(str(kubeconfig), clock=SystemClock()))


@pytest.fixture
def make_world(
    connected: Callable[[], Client], definitions: None, namespace: str, moto_storage: Storage
) -> Iterator[MakeWorld]:
    with ExitStack() as stack:

        def make(**options: Any) -> World:
            world = World(connected, namespace, moto_storage, **options)
            stack.callback(world.close)
            return world

        yield make


@pytest.fixture
def world(make_world: MakeWorld) -> World:
    return make_world()


@pytest.fixture(scope="module")
def quiet_world(
    client: Client, connected: Callable[[], Client], definitions: None, moto_storage: Storage
) -> Iterator[World]:
    """For tests that change nothing in it."""
    with temporary_namespace(client) as namespace:
        world = World(connected, namespace, moto_storage)
        yield world
        world.close()


@pytest.fixture(scope="module")
def shared_script(quiet_world: World) -> World:
    """With a script, for tests that do not change it."""
    bindings = [{"name": "PLAIN", "type": "plain_text", "text": "x"}]
    quiet_world.result("PUT", quiet_world.workers("/scripts/hello"), files=hello(bindings=bindings))
    return quiet_world


@pytest.fixture(params=[False, True], ids=["4.85", "4.158"])
def program(request: pytest.FixtureRequest) -> Path:
    """Old and new ones take different roads to the same end."""
    return wrangler_program(newer=request.param)


@pytest.fixture
def wrangler(program: Path, world: World, tmp_path: Path) -> Wrangler:
    return Wrangler(program, world.base_url, tmp_path)
