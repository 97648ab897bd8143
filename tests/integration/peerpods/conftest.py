"""A control plane for peer pods alone: nodes belong to the whole cluster, and every config sees all of them."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from framework.testing.control_plane import ControlPlane
from tests.conftest import CRDS, Kubectl, install_definitions, kubectl_of
from tests.integration.peerpods.site import Site, site_of


@pytest.fixture(scope="session")
def control_plane(binaries: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ControlPlane]:
    # With the lifecycle controller, nodes that no kubelet speaks for would be taken for unreachable.
    controllers = ("*", "-node-lifecycle-controller")
    # The plugin asks who sets an owner for the right to the owner's finalizers, as some clusters do.
    plugin = ("--enable-admission-plugins=OwnerReferencesPermissionEnforcement",)
    folder = tmp_path_factory.mktemp("peerpods-control-plane")
    with ControlPlane(
        binaries, folder, controller_manager=True, controllers=controllers, extra_apiserver_args=plugin
    ) as started:
        install_definitions(kubectl_of(started), CRDS)
        yield started


@pytest.fixture(scope="session")
def kubectl(control_plane: ControlPlane) -> Kubectl:
    return kubectl_of(control_plane)


@pytest.fixture
def site(control_plane: ControlPlane, kubectl: Kubectl) -> Iterator[Site]:
    """An operand namespace with settings for aws, and a manager in this process."""
    with site_of(control_plane, kubectl) as made:
        made.settings("peer-pods-cm", CLOUD_PROVIDER="aws")
        made.start()
        yield made


@pytest.fixture
def empty_site(control_plane: ControlPlane, kubectl: Kubectl) -> Iterator[Site]:
    """Without settings, and before any manager."""
    with site_of(control_plane, kubectl) as made:
        yield made
