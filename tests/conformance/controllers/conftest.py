"""Servers whose workload controllers run, and whose pods are run by the cases."""

from collections.abc import Iterator

import pytest

from framework.apiserver.controllers import ESSENTIAL, WORKLOADS
from framework.apiserver.embedded import EmbeddedOptions, EmbeddedServer
from tests.conformance.api import Api
from tests.conformance.conftest import api_of

# The real controller manager has neither of these.
_PLAYED_BY_THE_CASES = {"nodes", "scheduler", "kubelet"}


@pytest.fixture(scope="session")
def embedded_workloads(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    played = {name: make for name, make in WORKLOADS.items() if name not in _PLAYED_BY_THE_CASES}
    options = EmbeddedOptions(controllers=lambda: {**ESSENTIAL, **played})
    with EmbeddedServer(tmp_path_factory.mktemp("workloads"), options=options) as server:
        api = api_of(server)
        yield api
        api.close()
