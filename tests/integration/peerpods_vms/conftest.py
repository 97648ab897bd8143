"""One EC2 for all tests, and a world for each."""

from collections.abc import Iterator

import pytest

from tests.cluster import Cluster
from tests.integration.peerpods_vms.ec2 import Ec2
from tests.integration.peerpods_vms.world import World


@pytest.fixture(scope="session")
def moto() -> Iterator[Ec2]:
    started = Ec2()
    yield started
    started.close()


@pytest.fixture
def ec2(moto: Ec2) -> Ec2:
    moto.reset()
    return moto


@pytest.fixture
def world(control_plane: Cluster, ec2: Ec2) -> Iterator[World]:
    made = World(control_plane, ec2)
    yield made
    made.close()
