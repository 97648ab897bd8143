from collections.abc import Iterator
from pathlib import Path

import pytest

from framework.client import Client
from tests.component.laf.following import Following


@pytest.fixture
def following(client: Client, kubeconfig: Path, namespace: str) -> Iterator[Following]:
    with Following(client, kubeconfig, namespace) as made:
        yield made
