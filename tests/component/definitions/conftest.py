from collections.abc import Iterator
from pathlib import Path

import pytest

from framework.client import Client
from tests.component.definitions.watching import Watching


@pytest.fixture
def watching(client: Client, kubeconfig: Path) -> Iterator[Watching]:
    with Watching(client, kubeconfig) as made:
        yield made
