"""What the other scenarios here show to be enough cannot be left out: the right that only some servers ask for."""

import pytest

from apis.apps.v1 import DaemonSet
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import ConfigMap, Secret, ServiceAccount
from apis.meta import Request, resource_type_of
from controllers.peerpodconfig import PeerPodConfigReconciler
from framework.errors import WindlassError
from framework.rights import Right
from framework.testing.control_plane.waiting import wait_until
from tests.integration.peerpods.site import Site

pytestmark = pytest.mark.xdist_group("peerpods")
FINALIZERS = Right("update", resource_type_of(PeerPodConfig), "finalizers")


def test_a_daemon_set_has_no_owner_without_the_right_to_the_finalizers_of_the_config(empty_site: Site) -> None:
    site = empty_site
    site.settings("peer-pods-cm", CLOUD_PROVIDER="aws")
    site.node("a")

    site.start(without=FINALIZERS)
    key = site.config()

    assert site.manager is not None
    readiness = site.manager.readiness
    assert wait_until(lambda: "update peerpodconfigs" in str(readiness.problems()), limit_seconds=60)
    # And this is what would happen if it did not wait for the right; without a manager it reads from the server.
    kinds = (ConfigMap, Secret, ServiceAccount, DaemonSet)
    reads = [Right("get", resource_type_of(kind), namespace=site.namespace) for kind in kinds]
    site.account.grant(site.manager, without=FINALIZERS, beside=reads)
    client = site.account.connected()
    with pytest.raises(WindlassError, match="blockOwnerDeletion"):
        PeerPodConfigReconciler(client, site.options).reconcile(Request(key))
    client.connection.close()
    assert site.daemon_set() is None
    site.account.grant(site.manager)
    site.wait_until_set_up(key)
