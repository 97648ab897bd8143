from collections.abc import Iterator

import pytest

from framework.testing.control_plane import ControlPlane
from tests.conformance.api import Api


@pytest.fixture(scope="package")
def real(control_plane: ControlPlane) -> Iterator[Api]:
    headers = {"Authorization": f"Bearer {control_plane.token}"}
    api = Api("real", control_plane.url, ca_file=control_plane.ca_file, headers=headers)
    yield api
    api.close()
