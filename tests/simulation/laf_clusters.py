"""A Cluster whose kubeconfig is replaced, on which something is left over, and that goes when its Instance does."""

from contextlib import suppress
from pathlib import Path

from apis.core.v1 import Namespace, Secret
from apis.laf.cluster import Cluster
from apis.laf.instance import Instance, InstanceSpec
from apis.meta import Key, ObjectMeta
from apis.registry import LAF_KINDS
from apis.schema import crds_of
from controllers.cluster import register_cluster
from controllers.laf.remote_objects import marks
from controllers.laf.remotes import Remotes
from framework.client import Client
from framework.errors import NotFound
from framework.manager import Manager
from framework.testing.simulation import Scenario, User
from tests.simulation.laf_catalogue import SYSTEM, TENANT, named
from tests.simulation.laf_instances import OPTIONS, PARIS, SETTINGS, cluster

FIRST = Key(TENANT, "first")
LEFT_OVER = Key(TENANT, "gone-env")


def _prepare(client: Client) -> None:
    for name in (SYSTEM, TENANT):
        client.create(Namespace(metadata=ObjectMeta(name=name)))


def _register(manager: Manager) -> None:
    register_cluster(manager, SETTINGS, Remotes(manager.runtime))


def _leave_something(client: Client) -> None:
    labels, annotations = marks(SETTINGS.hub_id, Key(TENANT, "gone"), "uid")
    metadata = ObjectMeta(name=LEFT_OVER.name, namespace=TENANT, labels=dict(labels), annotations=dict(annotations))
    client.create(Namespace(metadata=ObjectMeta(name=TENANT)))
    client.create(Secret(metadata=metadata))


def clusters(_folder: Path) -> Scenario:
    def workload(user: User) -> None:
        _leave_something(user.remote[PARIS])
        user.client.create(cluster(PARIS, "east"))
        spec = InstanceSpec(region="east", appid="first", bundle="small", runtime="node")
        user.client.create(Instance(metadata=named(FIRST.name, TENANT), spec=spec))
        user.wait_until_quiet()
        uid = user.client.get(Cluster, Key(SYSTEM, PARIS)).metadata.uid
        reserved = {"cpu": "250m", "memory": "128Mi"}
        status = {"clusterUID": uid, "reserved": reserved}
        user.client.merge_patch(Instance, FIRST, {"status": status}, subresource="status")
        user.wait_until_quiet()
        user.client.merge_patch(Cluster, Key(SYSTEM, PARIS), {"spec": {"clientConfig": "garbage"}})
        user.wait_until_quiet()
        mended = cluster(PARIS, "east").spec
        assert mended is not None
        user.client.merge_patch(Cluster, Key(SYSTEM, PARIS), {"spec": {"clientConfig": mended.client_config}})
        user.client.delete(Cluster, Key(SYSTEM, PARIS))
        user.wait_until_quiet()
        with suppress(NotFound):
            user.client.delete(Instance, FIRST)

    return Scenario(
        {"controller": _register},
        workload,
        definitions=crds_of(LAF_KINDS),
        prepare=_prepare,
        remotes=(PARIS,),
        options=OPTIONS,
        depends_on_when=True,
        quiet_seconds=80.0,
    )
