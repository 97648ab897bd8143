"""All of laf on two remote clusters."""

import json
from contextlib import suppress
from pathlib import Path

from apis.apps.v1 import Deployment
from apis.core.v1 import Namespace
from apis.laf.application import Application, ApplicationSpec
from apis.laf.bundle import Bundle
from apis.laf.cluster import Capacity, Cluster, ClusterSpec
from apis.laf.runtime import Runtime
from apis.meta import Key, ObjectMeta
from apis.registry import LAF_KINDS
from apis.schema import crds_of
from controllers.application import register_application
from controllers.cluster import register_cluster
from controllers.instance import register_instance
from controllers.laf.optional_kinds import OptionalKinds
from controllers.laf.remotes import Remotes
from controllers.laf.settings import LafSettings
from framework.client import Client
from framework.clusters import ClusterOptions
from framework.errors import NotFound
from framework.manager import Manager, ManagerOptions
from framework.testing.simulation import Limits, Scenario, User
from tests.simulation.laf_catalogue import NODE, SMALL, SYSTEM, TENANT, named

PARIS, ROME = "paris", "rome"
# A probe comes before all counts as quiet, so that what one could not find out is found out by the next.
SETTINGS = LafSettings(hub_id="hub", probe_seconds=60.0, workers=2)
OPTIONS = ManagerOptions(clusters=ClusterOptions(probe_seconds=None))
SHOP = Key(TENANT, "shop")


def cluster(name: str, region: str) -> Cluster:
    document = {
        "clusters": [{"name": "c", "cluster": {"server": f"https://{name}"}}],
        "users": [{"name": "u", "user": {"token": f"token-of-{name}"}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
    }
    spec = ClusterSpec(region=region, client_config=json.dumps(document), capacity=Capacity(cpu=2))
    return Cluster(metadata=named(name), spec=spec)


def application(key: Key, region: str) -> Application:
    spec = ApplicationSpec(region=region, appid=key.name, bundle_name="small", runtime_name="node")
    return Application(metadata=named(key.name, key.namespace), spec=spec)


def play_kubelet(client: Client, key: Key) -> None:
    """All pods of the Deployment of *key* are there, if it is."""
    with suppress(NotFound):
        found = client.get(Deployment, Key(key.namespace, f"{key.name}-deployment"))
        numbers = ("replicas", "updatedReplicas", "readyReplicas", "availableReplicas")
        status = {"observedGeneration": found.metadata.generation, **dict.fromkeys(numbers, found.spec.replicas)}
        client.merge_patch(Deployment, found.key, {"status": status}, subresource="status")


def _replicas(client: Client, key: Key) -> int | None:
    try:
        return client.get(Deployment, Key(key.namespace, f"{key.name}-deployment")).spec.replicas
    except NotFound:
        return None


def _prepare(client: Client) -> None:
    for name in (SYSTEM, TENANT):
        client.create(Namespace(metadata=ObjectMeta(name=name)))
    client.create(Bundle(metadata=named("small"), spec=SMALL))
    client.create(Runtime(metadata=named("node"), spec=NODE))


def _register(manager: Manager) -> None:
    remotes, optional = Remotes(manager.runtime), OptionalKinds(manager)
    register_application(manager, SETTINGS, optional)
    register_cluster(manager, SETTINGS, remotes)
    register_instance(manager, SETTINGS, remotes, optional, new_salt=lambda: "salt" * 16)


def instances(_folder: Path) -> Scenario:
    """An Application that runs on one of them, grows, is spoilt there by others, and goes."""

    def workload(user: User) -> None:
        # One region each: where an Instance goes must not depend on which of them answers first.
        user.client.create(cluster(PARIS, "east"))
        user.client.create(cluster(ROME, "west"))
        user.client.create(application(SHOP, "east"))
        user.wait_until_quiet()
        play_kubelet(user.remote[PARIS], SHOP)
        user.client.merge_patch(Application, SHOP, {"spec": {"replica": 3}})
        with suppress(NotFound):
            user.remote[PARIS].scale(Deployment, Key(TENANT, "shop-deployment"), 7)
        user.wait_until(lambda: _replicas(user.remote[PARIS], SHOP) == 3)
        user.wait_until_quiet()
        user.client.delete(Application, SHOP)

    return Scenario(
        {"controller": _register},
        workload,
        definitions=crds_of(LAF_KINDS),
        prepare=_prepare,
        remotes=(PARIS, ROME),
        options=OPTIONS,
        depends_on_when=True,
        # Longer than anything waits that was refused, or found no place.
        quiet_seconds=80.0,
        # Each start asks the hub for every right, and every try after a cut counts.
        limits=Limits(requests_per_minute=600),
    )
