"""Every ConfigMap that asks for it is mirrored in another cluster, and its mirror goes with it."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Request
from framework.client import Client, ClusterAddress, StaticCredentials
from framework.clusters import RemoteCluster
from framework.controller import ClusterChanges, EachCluster, Primary, Source
from framework.errors import NotFound
from framework.informers import InformerOptions
from framework.manager import Manager
from framework.reconcile import Result
from framework.testing.simulation import Register, Scenario, User

NAMESPACE, PARIS = "default", "paris"
WANTED = {"wants": "mirror"}
FINALIZER, OF = "example.dev/mirror", "example.dev/mirror-of"
LOOK_AGAIN_SECONDS = 5.0
MIRRORS = InformerOptions(labels="mirror=true")


class Mirror:
    def __init__(self, manager: Manager) -> None:
        self.originals = manager.informer(ConfigMap).lister
        self.client = manager.client_for("mirror")
        self.cluster = manager.clusters.connect(PARIS, StaticCredentials(ClusterAddress(f"https://{PARIS}")))
        self.there = self.cluster.client_for("mirror")

    def reconcile(self, request: Request) -> Result:
        original = self.originals.get(request.key)
        if original is None or original.metadata.labels != WANTED:
            return Result.await_change()
        if not self.cluster.has_synced:
            return Result.after(LOOK_AGAIN_SECONDS)
        if original.metadata.is_being_deleted:
            self.end(original)
        elif FINALIZER not in original.metadata.finalizers:
            self.set_finalizers(original, [FINALIZER])
        else:
            self.bring(original)
        return Result.await_change()

    def bring(self, original: ConfigMap) -> None:
        mirror = self.cluster.informer(ConfigMap, MIRRORS).lister.get(original.key)
        if mirror is None or mirror.data != original.data or _owner(mirror) != original.metadata.uid:
            # Only what was seen is overwritten: a cache that is behind may hide what somebody else has written since.
            version = "" if mirror is None else mirror.metadata.resource_version
            self.there.apply(ConfigMap, manifest_of(original, version))

    def end(self, original: ConfigMap) -> None:
        # The finalizer goes last: a crash, or a cluster that does not answer, leaves it for the next time.
        remove(self.there, original)
        self.set_finalizers(original, [])

    def set_finalizers(self, original: ConfigMap, finalizers: list[str]) -> None:
        version, uid = original.metadata.resource_version, original.metadata.uid
        with suppress(NotFound):
            patch = {"metadata": {"finalizers": finalizers}}
            self.client.merge_patch(ConfigMap, original.key, patch, resource_version=version, uid=uid)


def remove(there: Client, original: ConfigMap) -> None:
    """From the server: caches of remote clusters do not show own writes."""
    with suppress(NotFound):
        mirror = there.get(ConfigMap, original.key)
        if _owner(mirror) == original.metadata.uid:
            there.delete(ConfigMap, mirror.key, uid=mirror.metadata.uid)


def manifest_of(original: ConfigMap, version: str) -> dict[str, object]:
    metadata: dict[str, object] = {
        "name": original.metadata.name,
        "namespace": original.metadata.namespace,
        "labels": {"mirror": "true"},
        "annotations": {OF: original.metadata.uid},
    }
    if version:
        metadata["resourceVersion"] = version
    return {"metadata": metadata, "data": dict(original.data)}


def _owner(mirror: ConfigMap) -> str:
    return mirror.metadata.annotations.get(OF, "")


def register_with(reconciler: type[Mirror]) -> Register:
    def register(manager: Manager) -> None:
        originals = manager.informer(ConfigMap)

        def everything(_cluster: RemoteCluster) -> Iterable[Request]:
            return [Request(each.key) for each in originals.lister.list()]

        def original_of(_cluster: str, mirror: ConfigMap) -> Iterable[Request]:
            return [Request(mirror.key)]

        mirror = reconciler(manager)
        sources: list[Source] = [
            Primary(originals),
            EachCluster(manager.clusters, ConfigMap, original_of, options=MIRRORS),
            ClusterChanges(manager.clusters, everything),
        ]
        manager.add_controller("mirror", mirror, sources)

    return register


def mirrored_by(reconciler: type[Mirror]) -> Scenario:
    return Scenario({"controller": register_with(reconciler)}, workload, remotes=(PARIS,))


def workload(user: User) -> None:
    """One that is changed here and spoilt there, one that goes."""
    for name in ("kept", "gone"):
        metadata = ObjectMeta(name=name, namespace=NAMESPACE, labels=WANTED)
        user.client.create(ConfigMap(metadata=metadata, data={"text": "first"}))
    user.wait_until_quiet()
    user.client.merge_patch(ConfigMap, Key(NAMESPACE, "kept"), {"data": {"text": "second"}})
    user.wait_until_quiet()
    with suppress(NotFound):
        user.remote[PARIS].merge_patch(ConfigMap, Key(NAMESPACE, "kept"), {"data": {"text": "spoilt"}})
    user.wait_until_quiet()
    user.client.delete(ConfigMap, Key(NAMESPACE, "gone"))


def mirrored(_folder: Path) -> Scenario:
    return mirrored_by(Mirror)
