import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from apis.core.v1 import Namespace, Secret
from apis.meta import Key, ObjectMeta
from framework.client import Client, Kind
from framework.informers import InformerOptions
from framework.testing.control_plane import ControlPlane
from framework.testing.relay import Relay
from tests.integration.informers.harness import Observed, Writer, client_through

Observe = Callable[..., Observed]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    with capture_logs():
        yield


@pytest.fixture
def namespace(client: Client) -> Iterator[str]:
    """As everywhere, but without a process for each."""
    name = f"test-{uuid.uuid4().hex[:10]}"
    client.create(Namespace(metadata=ObjectMeta(name=name)))
    yield name
    client.delete(Namespace, Key("", name))


@pytest.fixture
def writer(client: Client, namespace: str) -> Writer:
    return Writer(client, namespace)


@pytest.fixture
def observe(control_plane: ControlPlane, relay: Relay, namespace: str, tmp_path: Path) -> Iterator[Observe]:
    """Makes informers of the test's namespace behind the relay; of Secrets, in list mode, unless told otherwise."""
    client = client_through(relay, tmp_path, control_plane.token)
    made: list[Observed] = []

    def observe(kind: Kind[Any] = Secret, **options: Any) -> Observed:
        chosen = InformerOptions(**{"namespaces": (namespace,), "use_watch_list": False, **options})
        made.append(Observed(kind, client, relay, chosen))
        return made[-1]

    yield observe
    for observed in made:
        observed.informer.close()
    client.connection.close()
