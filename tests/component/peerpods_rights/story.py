"""What both controllers are for, from a first config to its end: each step is an acceptance scenario in short."""

from collections.abc import Callable, Sequence

from apis.confidentialcontainers.peerpod import PeerPod, PeerPodSpec
from apis.confidentialcontainers.peerpodconfig import PeerPodConfig, PeerPodConfigSpec
from apis.core.v1 import ConfigMap, Namespace, Node, Pod, Secret
from apis.events.v1 import Event
from apis.meta import Key, ObjectMeta, OwnerReference, Unstructured, resource_type_of
from controllers.peerpodconfig.webhook.names import CONFIGURATION, DEPLOYMENT, SERVICE
from controllers.peerpods.names import CONFIG_LABEL, EXTENDED_RESOURCE, PEER_POD_FINALIZER, RETRY
from framework.conditions import find_condition
from framework.errors import NotFound
from framework.rights import Right
from tests.component.peerpods_rights.world import OPERANDS, TENANT, World

CONFIG = Key(TENANT, "config")
SETTINGS = Key(OPERANDS, "peer-pods-cm")
NAMESPACES, PODS = resource_type_of(Namespace), resource_type_of(Pod)
FIRST, SECOND = "shop-resource-first", "shop-resource-second"


class Story:
    def __init__(self, world: World) -> None:
        self._world = world
        self._admin = world.admin

    def tell(self, without: Right | None = None) -> None:
        """To its end; Unfinished where it stops."""
        self._prepare()
        with self._world.managed(without, meddled=SECOND):
            self._a_config_is_rolled_out()
            self._settings_turn_bad_and_good_twice()
            self._a_vm_is_replaced_and_then_goes_with_its_pod()
            self._the_config_goes()
            self._nothing_was_refused()
            if without is None or without.resource == NAMESPACES:
                # With it go the Roles in it: whatever is refused from now on tells nothing of another right.
                self._the_namespace_is_missed()
        self._what_happened_again_was_counted()

    def _prepare(self) -> None:
        for name in (OPERANDS, TENANT):
            self._admin.create(Namespace(metadata=ObjectMeta(name=name)))
        settings = {"CLOUD_PROVIDER": "aws", "REGION": "here"}
        self._admin.create(ConfigMap(metadata=_named(SETTINGS), data=settings))
        self._admin.create(Secret(metadata=_named(Key(OPERANDS, "peer-pods-secret")), data={"KEY": b"canary"}))
        self._admin.create(Node(metadata=ObjectMeta(name="node", labels={"node.kubernetes.io/worker": ""})))
        pod = {"nodeName": "node", "containers": [{"name": "main", "image": "app:1"}]}
        content = {"metadata": {"name": "shop", "namespace": TENANT}, "spec": pod}
        self._pod_uid = self._admin.create(Unstructured(content=content), kind=PODS).metadata.uid

    def _a_config_is_rolled_out(self) -> None:
        self._create_config("peer-pods-cm")
        self._until(lambda: self._config().status.setup_completed is True, "the config is set up")
        node = self._admin.get(Node, Key("", "node"))
        assert node.status.capacity[EXTENDED_RESOURCE] == "5"
        assert CONFIG_LABEL in node.metadata.labels
        self._expect_event("NodesAdvertised")

    def _settings_turn_bad_and_good_twice(self) -> None:
        for name, is_good in (("AWS", False), ("aws", True)) * 2:
            self._admin.merge_patch(ConfigMap, SETTINGS, {"data": {"CLOUD_PROVIDER": name}})
            self._until(lambda is_good=is_good: self._config().status.setup_completed is is_good, f"{name} is noticed")  # type: ignore[misc] # mypy cannot infer a lambda with a default

    def _a_vm_is_replaced_and_then_goes_with_its_pod(self) -> None:
        self._create_peer_pod(FIRST, "vm-1")
        self._until(lambda: self._peer_pod(FIRST).status.settings_ref is not None, "its settings are recorded")
        self._world.clock.leap(2)
        # Of others, who do their part before and after.
        self._create_peer_pod(SECOND, "vm-2", before=["tests.windlass.dev/before"], after=["tests.windlass.dev/after"])
        self._until(lambda: self._is_gone(FIRST), "the superseded one goes")
        self._world.cloud.knows_the_key = False
        self._admin.delete(PeerPod, Key(TENANT, SECOND))
        self._until(lambda: self._peer_pod(SECOND).status.attempts == 1, "that it fails is told")
        self._world.clock.leap(301)
        self._retry("again")
        self._until(lambda: self._peer_pod(SECOND).status.attempts == 2, "and told again")
        self._world.cloud.knows_the_key = True
        self._retry("once more")
        self._until(lambda: PEER_POD_FINALIZER not in self._peer_pod(SECOND).metadata.finalizers, "it is let go")
        assert self._peer_pod(SECOND).status.cleand
        assert self._world.cloud.deleted == ["vm-1", "vm-2"]
        self._expect_event("VMDeleted")

    def _the_config_goes(self) -> None:
        self._admin.delete(PeerPodConfig, CONFIG)
        self._until(lambda: self._admin.list(PeerPodConfig) == [], "the config goes")
        for each in (CONFIGURATION, DEPLOYMENT, SERVICE):
            assert self._admin.list(each) == []
        assert [each.metadata.name for each in self._admin.list(Secret, OPERANDS)] == ["peer-pods-secret"]
        assert EXTENDED_RESOURCE not in self._admin.get(Node, Key("", "node")).status.capacity

    def _nothing_was_refused(self) -> None:
        """What is refused and comes all the same, because it is tried in another way, comes late."""
        self._until(lambda: self._world.server.refused == [], "nothing is refused")

    def _the_namespace_is_missed(self) -> None:
        self._admin.delete(Namespace, Key("", OPERANDS))
        self._until(lambda: OPERANDS not in {each.metadata.name for each in self._admin.list(Namespace)}, "it goes")
        config = PeerPodConfigSpec(cloud_secret_name="none", config_map_name="none")
        self._admin.create(PeerPodConfig(metadata=ObjectMeta(name="late", namespace=TENANT), spec=config))
        self._until(lambda: self._reason_of_late() == "OperandNamespaceMissing", "that it is missing is told")

    def _what_happened_again_was_counted(self) -> None:
        """Counts are written at the latest when the manager stops."""
        counts = {each.reason: each.series.count for each in self._admin.list(Event) if each.series is not None}
        for reason in ("InvalidCloudProvider", "VMDeletionFailed"):
            self._until(lambda reason=reason: counts.get(reason) == 2, f"{reason} is counted")  # type: ignore[misc] # as above

    def _create_config(self, settings: str) -> None:
        spec = PeerPodConfigSpec(cloud_secret_name="peer-pods-secret", config_map_name=settings, limit="5")
        self._admin.create(PeerPodConfig(metadata=_named(CONFIG), spec=spec))

    def _create_peer_pod(
        self, name: str, instance: str, *, before: Sequence[str] = (), after: Sequence[str] = ()
    ) -> None:
        owner = OwnerReference(api_version="v1", kind="Pod", name="shop", uid=self._pod_uid, controller=True)
        metadata = ObjectMeta(
            name=name,
            namespace=TENANT,
            finalizers=[*before, PEER_POD_FINALIZER, *after],
            owner_references=[owner],
        )
        spec = PeerPodSpec(cloud_provider="aws", instance_id=instance)
        self._admin.create(PeerPod(metadata=metadata, spec=spec))

    def _retry(self, value: str) -> None:
        self._admin.merge_patch(PeerPod, Key(TENANT, SECOND), {"metadata": {"annotations": {RETRY: value}}})

    def _config(self) -> PeerPodConfig:
        return self._admin.get(PeerPodConfig, CONFIG)

    def _reason_of_late(self) -> str:
        found = self._admin.get(PeerPodConfig, Key(TENANT, "late")).status.conditions
        condition = find_condition(found, "SettingsResolved")
        return condition.reason if condition else ""

    def _peer_pod(self, name: str) -> PeerPod:
        return self._admin.get(PeerPod, Key(TENANT, name))

    def _is_gone(self, name: str) -> bool:
        try:
            self._peer_pod(name)
        except NotFound:
            return True
        return False

    def _expect_event(self, reason: str) -> None:
        self._until(lambda: reason in {each.reason for each in self._admin.list(Event)}, f"{reason} is told")

    def _until(self, holds: Callable[[], bool], what: str) -> None:
        self._world.until(holds, what)


def _named(key: Key) -> ObjectMeta:
    return ObjectMeta(name=key.name, namespace=key.namespace)
