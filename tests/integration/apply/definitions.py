"""Custom kinds on the real API server."""

from apis.meta import KubeObject
from apis.schema import crd_of
from framework.client import Client
from framework.errors import NotFound
from framework.testing.control_plane.waiting import wait_until
from tests.component.apply.stage import CUSTOM_RESOURCE_DEFINITION

_LIMIT_SECONDS = 30.0


def install(client: Client, kind: type[KubeObject]) -> None:
    """Return when *kind* is served."""
    client.apply(CUSTOM_RESOURCE_DEFINITION, crd_of(kind))

    def is_served() -> bool:
        try:
            client.list(kind)
        except NotFound:
            return False
        return True

    assert wait_until(is_served, limit_seconds=_LIMIT_SECONDS)
