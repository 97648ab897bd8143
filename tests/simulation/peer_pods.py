"""PeerPods whose VMs are in a cloud that is slow, forgetful and easily offended."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import msgspec

from apis.confidentialcontainers.peerpod import PeerPod, PeerPodSpec
from apis.core.v1 import ConfigMap, Namespace, Pod, Secret
from apis.meta import Key, KubeObject, ObjectMeta, OwnerReference, Unstructured, resource_type_of
from apis.registry import PEER_POD_KINDS
from apis.schema import crds_of
from controllers.peerpod import register_peerpod
from controllers.peerpod.provider import (
    Accepted,
    AuthFailed,
    CloudProvider,
    Gone,
    Hints,
    InvalidInstanceID,
    Outcome,
    Throttled,
    Transient,
)
from controllers.peerpods.names import PEER_POD_FINALIZER
from controllers.peerpods.options import PeerPodOptions
from framework.client import Client
from framework.clock import Clock
from framework.manager import Manager
from framework.testing.simulation import Scenario, User

SYSTEM, TENANT = "peerpods-system", "tenant"
PODS = resource_type_of(Pod)
# Without a resync in between, which would hide what is forgotten.
OPTIONS = PeerPodOptions(namespace=SYSTEM, workers=2, resync_seconds=86_400.0)
# The credential, and the one that takes its place; and the region of all VMs, of which the Secret has a wrong idea.
KEY, NEXT_KEY = "canary-of-the-simulated-cloud", "second-canary-of-the-simulated-cloud"
REGION, ELSEWHERE = "east", "west"
# Of somebody who wants to look at a PeerPod before it goes.
LAST_LOOK = "example.com/last-look"
# A VM that is new is not to be found at once, one that goes is still to be found, and each answer takes a while.
HIDDEN_SECONDS, SHUTDOWN_SECONDS, ANSWER_SECONDS = 8.0, 7.0, 0.5
SETTLED_SECONDS = 30.0
# Of three requests one is refused, and one has its effect and no answer.
CYCLE, THROTTLED, LOST = 3, 1, 2


class Machine(msgspec.Struct):
    # On the clock that the controllers have; None: nobody has asked for it.
    known_from: float | None = None
    gone_at: float = math.inf


class PodVms:
    """The state outside."""

    def __init__(self) -> None:
        self.machines: dict[str, Machine] = {}
        self.requests = 0
        self.key = KEY

    def reset(self) -> None:
        self.machines.clear()
        self.requests = 0
        self.key = KEY

    def state(self) -> dict[str, Any]:
        return {name: "stays" if each.gone_at == math.inf else "goes" for name, each in self.machines.items()}

    def run(self, *names: str) -> None:
        for name in names:
            self.machines[name] = Machine()

    def terminate(self, name: str, hints: Hints, now: float) -> Outcome:
        machine, is_new = self.machines.get(name), hints.peer_pod_age_seconds < SETTLED_SECONDS
        if machine is not None and machine.known_from is None:
            machine.known_from = now + HIDDEN_SECONDS if is_new else now
        if machine is None or (machine.known_from or now) > now or machine.gone_at <= now:
            if is_new:
                raise Transient(f"{name} is not known yet")
            return Gone()
        machine.gone_at = min(machine.gone_at, now + SHUTDOWN_SECONDS)
        return Accepted()


def provider_of(vms: PodVms, clock: Clock) -> type[CloudProvider]:
    class SimulatedProvider:
        name: ClassVar[str] = "simulated"
        extra: ClassVar[str] = ""
        settings_keys: ClassVar[tuple[str, ...]] = ("SIM_KEY", "SIM_REGION")
        secret_keys: ClassVar[tuple[str, ...]] = ("SIM_KEY",)
        location_keys: ClassVar[tuple[str, ...]] = ("SIM_REGION",)

        def __init__(self, settings: Mapping[str, str]) -> None:
            self._key, self._region = settings["SIM_KEY"], settings["SIM_REGION"]

        def validate_instance_id(self, instance_id: str) -> None:
            if not instance_id.startswith("vm-"):
                raise InvalidInstanceID(f"{instance_id} is no id")

        def delete(self, instance_id: str, hints: Hints, timeout_seconds: float) -> Outcome:  # noqa: ARG002 - the contract
            vms.requests += 1
            number = vms.requests
            clock.wait(ANSWER_SECONDS)
            if number % CYCLE == THROTTLED:
                raise Throttled(f"not so fast, {self._key}", 2.0)
            if self._key != vms.key:
                raise AuthFailed(f"{self._key} was replaced")
            outcome = vms.terminate(instance_id, hints, clock.monotonic()) if self._region == REGION else Gone()
            if number % CYCLE == LOST:
                raise Transient(f"no answer for {self._key}")
            return outcome

        def close(self) -> None:
            """Nothing is open."""

    return SimulatedProvider


def peer_pods(_folder: Path) -> Scenario:
    """A pod goes, another gets a second PeerPod, two say that they have the same VM, and the credential is replaced."""
    vms = PodVms()

    def register(manager: Manager) -> None:
        register_peerpod(manager, OPTIONS, {"simulated": provider_of(vms, manager.clock)})

    def workload(user: User) -> None:
        client = user.client
        vms.run("vm-shop", "vm-web", "vm-kept")
        pods = {name: _create_pod(client, name) for name in ("shop", "web")}
        client.create(_peer_pod("shop-resource-1", "vm-shop", pods["shop"]))
        client.create(_peer_pod("web-resource-1", "vm-web", pods["web"]))
        client.create(_peer_pod("kept", "vm-kept"))
        _check(user, vms)
        vms.run("vm-web-again")
        client.create(_peer_pod("kept-twice", "vm-kept"))
        client.create(_peer_pod("web-resource-2", "vm-web-again", pods["web"]))
        _check(user, vms)
        client.delete(PODS, Key(TENANT, "shop"))
        client.delete(PeerPod, Key(TENANT, "kept-twice"))
        # Its VM is so new that the cloud does not know it yet.
        vms.run("vm-brief")
        client.create(_peer_pod("brief", "vm-brief"))
        client.delete(PeerPod, Key(TENANT, "brief"))
        _check(user, vms)
        vms.run("vm-looked-at")
        client.create(_peer_pod("looked-at", "vm-looked-at", finalizers=[LAST_LOOK]))
        user.wait_until_quiet()
        vms.key = NEXT_KEY
        client.merge_patch(Secret, Key(SYSTEM, "peer-pods-secret"), {"stringData": {"SIM_KEY": NEXT_KEY}})
        client.delete(PeerPod, Key(TENANT, "looked-at"))
        user.wait_until(lambda: _finalizers(client, "looked-at") == [LAST_LOOK])
        client.merge_patch(PeerPod, Key(TENANT, "looked-at"), {"metadata": {"finalizers": None}})
        _check(user, vms)

    return Scenario(
        {"controller": register},
        workload,
        definitions=crds_of(PEER_POD_KINDS),
        prepare=_prepare,
        outside=vms,
        # Longer than a failed attempt waits.
        quiet_seconds=120.0,
        # Which pod a PeerPod belongs to is a matter of uids: of one that is made again it is not.
        depends_on_when=True,
    )


def _check(user: User, vms: PodVms) -> None:
    """No VM has outlived its PeerPods, and none is gone of which a PeerPod stays."""
    user.wait_until_quiet()
    user.wait_until(lambda: not any(each.metadata.is_being_deleted for each in user.client.list(PeerPod)))
    wanted = {each.spec.instance_id for each in user.client.list(PeerPod) if each.spec}
    staying = {name for name, state in vms.state().items() if state == "stays"}
    assert staying == wanted, f"VMs {sorted(staying)} run, and there are PeerPods of {sorted(wanted)}"


def _prepare(client: Client) -> None:
    for name in (SYSTEM, TENANT):
        client.create(Namespace(metadata=ObjectMeta(name=name)))
    settings = {"CLOUD_PROVIDER": "simulated", "SIM_REGION": REGION}
    client.create(ConfigMap(metadata=_named("peer-pods-cm", SYSTEM), data=settings))
    secret = {"SIM_KEY": KEY.encode(), "SIM_REGION": ELSEWHERE.encode()}
    client.create(Secret(metadata=_named("peer-pods-secret", SYSTEM), data=secret))


def _finalizers(client: Client, name: str) -> list[str]:
    """None of one that is gone."""
    found = [each for each in client.list(PeerPod, TENANT) if each.metadata.name == name]
    return found[0].metadata.finalizers if found else []


def _create_pod(client: Client, name: str) -> KubeObject:
    metadata = _named(name)
    spec = {"containers": [{"name": "main", "image": "app:1"}]}
    content = {"apiVersion": "v1", "kind": "Pod", "metadata": msgspec.to_builtins(metadata), "spec": spec}
    return client.create(Unstructured(metadata=metadata, content=content), kind=PODS)


def _peer_pod(name: str, instance: str, pod: KubeObject | None = None, *, finalizers: Sequence[str] = ()) -> PeerPod:
    owners = []
    if pod is not None:
        uid = pod.metadata.uid
        owners.append(
            OwnerReference(
                api_version="v1",
                kind="Pod",
                name=pod.metadata.name,
                uid=uid,
                controller=True,
                block_owner_deletion=True,
            )
        )
    metadata = ObjectMeta(
        name=name, namespace=TENANT, finalizers=[PEER_POD_FINALIZER, *finalizers], owner_references=owners
    )
    return PeerPod(metadata=metadata, spec=PeerPodSpec(cloud_provider="simulated", instance_id=instance))


def _named(name: str, namespace: str = TENANT) -> ObjectMeta:
    return ObjectMeta(name=name, namespace=namespace)
