"""All of laf from a form to the end of its cluster, with each controller in a process of its own."""

from collections.abc import Callable
from functools import partial

from apis.core.v1 import Namespace, Secret
from apis.events.v1 import Event
from apis.laf.application import Application
from apis.laf.bundle import Bundle
from apis.laf.cluster import Cluster
from apis.laf.creationform import CreationForm, CreationFormSpec
from apis.laf.instance import Instance, InstanceSpec
from apis.laf.runtime import Runtime
from apis.meta import Key, KubeObject, ObjectMeta, ResourceType
from apis.registry import LAF_KINDS
from apis.schema import crds_of
from controllers.application import register_application
from controllers.bundle import register_bundle
from controllers.cluster import register_cluster
from controllers.creationform import register_creationform
from controllers.instance import register_instance
from controllers.laf.optional_kinds import DATABASE, GATEWAY, OSS_USER, OptionalKinds
from controllers.laf.optional_objects import storage_of
from controllers.laf.remote_objects import marks
from controllers.laf.remotes import Remotes
from controllers.laf.settings import LafSettings
from controllers.runtime import register_runtime
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.errors import NotFound
from framework.manager import Manager
from framework.testing.control_plane.waiting import wait_until
from tests.component.rights.guarded import Guarded, Process
from tests.integration.laf.dependency_definitions import install
from tests.simulation.laf_catalogue import NODE, SMALL, SYSTEM, TENANT, named
from tests.simulation.laf_instances import PARIS, SHOP, application, cluster, play_kubelet

SETTINGS = LafSettings(system_namespace=SYSTEM, hub_id="hub", form_ttl_seconds=0.1)
ALONE, TAKEN, FORM = Key(TENANT, "alone"), Key(TENANT, "taken"), Key(SYSTEM, "form")
LEFT_OVER = Key(TENANT, "gone-env")
DEPENDENCIES = (DATABASE, OSS_USER, GATEWAY)
# Of every dependency: each reads what concerns it.
READY = {
    "conditions": [{"type": "Ready", "status": "True"}],
    "connectionUri": "mongodb://here",
    **dict.fromkeys(("accessKey", "secretKey", "endpoint", "region"), "here"),
}
_LIMIT_SECONDS = 60.0


class LafStory:
    """*is_confined*: to the namespaces of the catalogue and of one tenant, in which no form can be fulfilled."""

    def __init__(self, *, is_confined: bool = False) -> None:
        self._is_confined = is_confined
        self.guarded = Guarded(crds_of(LAF_KINDS), (SYSTEM, TENANT) if is_confined else ("",))
        self._admin = self.guarded.admin
        self._remote_server = ApiServer()
        self._remote = in_process_client(self._remote_server)

    def tell(self) -> None:
        self._prepare()
        connect = partial(Manager, connect_cluster=lambda _: in_process_client(self._remote_server).connection)
        with self.guarded.running(self._processes(), connect):
            if not self._is_confined:
                self._a_form_waits()
            self._a_catalogue_is_offered()
            self._until(lambda: self._is_gone(CreationForm, FORM), "the form is fulfilled and goes")
            self._an_application_runs()
            self._it_grows()
            self._an_instance_has_its_salt_back()
            self._an_instance_finds_its_salt_taken_and_loses_its_cluster()
            self._everything_goes()

    def _prepare(self) -> None:
        for name in (SYSTEM, TENANT):
            self._admin.create(Namespace(metadata=ObjectMeta(name=name)))
        labels, annotations = marks(SETTINGS.hub_id, Key(TENANT, "gone"), "uid")
        left = ObjectMeta(name=LEFT_OVER.name, namespace=TENANT, labels=dict(labels), annotations=dict(annotations))
        self._remote.create(Namespace(metadata=ObjectMeta(name=TENANT)))
        self._remote.create(Secret(metadata=left))
        install(self._admin, DEPENDENCIES)

    def _processes(self) -> tuple[Process, ...]:
        return PROCESSES if self._is_confined else (*PROCESSES, FORMS)

    def _a_form_waits(self) -> None:
        spec = CreationFormSpec(display_name="My shop", bundle_name="small", runtime_name="node")
        self._admin.create(CreationForm(metadata=named(FORM.name), spec=spec))
        self._until(lambda: "NotFound" in {each.reason for each in self._admin.list(Event)}, "it misses its bundle")

    def _a_catalogue_is_offered(self) -> None:
        self._admin.create(Runtime(metadata=named("node"), spec=NODE))
        for name in ("small", "large"):
            self._admin.create(Bundle(metadata=named(name), spec=SMALL))

    def _an_application_runs(self) -> None:
        self._admin.create(cluster(PARIS, "east"))
        self._admin.create(application(SHOP, "east"))
        for kind in DEPENDENCIES:
            self._until(lambda kind=kind: not self._is_gone(kind, SHOP), f"{kind.name} is made")  # type: ignore[misc] # mypy cannot infer a lambda with a default
            self._admin.merge_patch(kind, SHOP, {"status": READY}, subresource="status")
        self._until(lambda: self._is_running(SHOP), "the Application runs")
        self._until(lambda: self._remote_is_gone(Secret, LEFT_OVER), "what was left over goes")

    def _it_grows(self) -> None:
        more = {"databaseCapacity": "3Gi", "storageCapacity": "3Gi"}
        self._admin.merge_patch(Bundle, Key(SYSTEM, "small"), {"spec": more})
        for kind in (DATABASE, OSS_USER):
            self._until(lambda kind=kind: storage_of(self._admin.get(kind, SHOP)) == "3Gi", f"{kind.name} grows")  # type: ignore[misc] # as above
        self._admin.merge_patch(Application, SHOP, {"spec": {"replica": 2, "bundleName": "large"}})
        self._until(lambda: self._replicas() == 2, "the Instance follows")
        # Used, so that they wait.
        self._admin.delete(Bundle, Key(SYSTEM, "large"))
        self._admin.delete(Runtime, Key(SYSTEM, "node"))

    def _an_instance_has_its_salt_back(self) -> None:
        salt = self._create_instance(ALONE)
        self._until(lambda: not self._is_gone(Secret, salt), "it has a salt")
        self._admin.merge_patch(Secret, salt, {"data": None})
        self._until(lambda: bool(self._admin.get(Secret, salt).data), "and has it again")
        self._admin.delete(Instance, ALONE)
        self._until(lambda: self._is_gone(Instance, ALONE) and self._is_gone(Secret, salt), "it goes with its salt")

    def _an_instance_finds_its_salt_taken_and_loses_its_cluster(self) -> None:
        self._admin.create(Secret(metadata=named(f"{TAKEN.name}-salt", TENANT)))
        self._create_instance(TAKEN)
        self._until(lambda: "NameCollision" in self._reasons(TAKEN), "it is told")
        lost = {"status": {"clusterUID": "none", "clusterName": "none", "clusterNamespace": SYSTEM}}
        self._admin.merge_patch(Instance, TAKEN, lost, subresource="status")
        self._until(lambda: self._admin.get(Instance, TAKEN).status.cluster_uid != "none", "it is placed anew")
        self._admin.delete(Instance, TAKEN)
        self._until(lambda: self._is_gone(Instance, TAKEN), "it goes")

    def _create_instance(self, key: Key) -> Key:
        """The key of its salt."""
        spec = InstanceSpec(region="east", appid=key.name, bundle="small", runtime="node")
        self._admin.create(Instance(metadata=named(key.name, key.namespace), spec=spec))
        return Key(key.namespace, f"{key.name}-salt")

    def _reasons(self, key: Key) -> set[str]:
        return {each.reason for each in self._admin.get(Instance, key).status.conditions}

    def _everything_goes(self) -> None:
        for each in self._admin.list(Application):
            self._admin.delete(Application, each.key)
        self._until(lambda: self._admin.list(Application) == [], "Applications go")
        assert self._is_gone(Secret, Key(TENANT, "shop-salt"))
        for kind in (Bundle, Runtime):
            for entry in self._admin.list(kind):
                self._admin.delete(kind, entry.key)
            self._until(lambda kind=kind: self._admin.list(kind) == [], f"{kind.__name__}s go")  # type: ignore[misc] # as above
        self._admin.delete(Cluster, Key(SYSTEM, PARIS))
        self._until(lambda: self._is_gone(Cluster, Key(SYSTEM, PARIS)), "the Cluster goes")

    def _is_running(self, key: Key) -> bool:
        play_kubelet(self._remote, key)
        return self._admin.get(Application, key).status.state == "Running"

    def _replicas(self) -> int:
        spec = self._admin.get(Instance, SHOP).spec
        return spec.replica if spec else 0

    def _is_gone(self, kind: type[KubeObject] | ResourceType, key: Key) -> bool:
        try:
            self._admin.get(kind, key)
        except NotFound:
            return True
        return False

    def _remote_is_gone(self, kind: type[KubeObject], key: Key) -> bool:
        return key not in {each.key for each in self._remote.list(kind, key.namespace)}

    def _until(self, holds: Callable[[], bool], what: str) -> None:
        refused = self.guarded.server.refused
        wait_until(lambda: holds() or bool(refused), limit_seconds=_LIMIT_SECONDS)
        assert refused == []
        assert holds(), what


def _register_places(manager: Manager) -> None:
    """An Instance needs the controller of Clusters in its process, which connects to them."""
    remotes = Remotes(manager.runtime)
    register_cluster(manager, SETTINGS, remotes)
    register_instance(manager, SETTINGS, remotes, OptionalKinds(manager))


PROCESSES = (
    Process(("bundle",), lambda manager: register_bundle(manager, SETTINGS)),
    Process(("runtime",), lambda manager: register_runtime(manager, SETTINGS)),
    Process(("application",), lambda manager: register_application(manager, SETTINGS, OptionalKinds(manager))),
    Process(("cluster", "instance"), _register_places),
)
FORMS = Process(("creationform",), lambda manager: register_creationform(manager, SETTINGS))
