"""A node that cannot be written to is told, and stops nobody."""

import pytest

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.meta import Request
from controllers.peerpodconfig import PeerPodConfigReconciler
from framework.apiserver.server import ApiServer
from framework.client import Access, Observer
from framework.conditions import find_condition
from framework.errors import Forbidden, Status, WindlassError
from tests.component.peerpodconfig.test_embedding import KEY, OPTIONS, filled, numbers


class Refusing(Observer):
    """The server takes no change of one node."""

    def __init__(self, node: str) -> None:
        self.node = node

    def sending(self, access: Access) -> None:
        if not access.is_read and (access.resource_type.plural, access.name) == ("nodes", self.node):
            raise Forbidden(Status(code=403, reason="Forbidden", message=f"nobody may change {self.node}"))


def test_a_node_that_cannot_be_written_to_is_named_and_the_others_get_their_numbers() -> None:
    client, refusing = filled(ApiServer()), Refusing("a")
    reconciler = PeerPodConfigReconciler(client.observed_by(refusing), OPTIONS)

    with pytest.raises(WindlassError, match="nobody may change a"):
        reconciler.reconcile(Request(KEY))

    assert numbers(client) == [None, "2"]
    status = client.get(PeerPodConfig, KEY).status
    advertised = find_condition(status.conditions, "NodesAdvertised")
    assert advertised is not None
    assert (advertised.status, advertised.reason) == ("False", "NodesNotWritten")
    assert "a" in advertised.message
    assert status.setup_completed is False
    refusing.node = ""
    reconciler.reconcile(Request(KEY))
    assert numbers(client) == ["3", "2"]
    assert client.get(PeerPodConfig, KEY).status.setup_completed is True
