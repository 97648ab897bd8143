"""Two embedded servers, each a process of its own."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster import Cluster
from tests.component.clusters.world import World
from tests.embedded_cluster import EmbeddedCluster


@pytest.fixture(scope="session")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with EmbeddedCluster(tmp_path_factory.mktemp("hub")) as started:
        yield started


@pytest.fixture(scope="session")
def remote(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with EmbeddedCluster(tmp_path_factory.mktemp("remote")) as started:
        yield started


@pytest.fixture
def world(hub: Cluster, remote: Cluster, tmp_path: Path) -> Iterator[World]:
    with World(hub, remote, tmp_path) as made:
        yield made
