"""What one test sees: a tenant, a region, Clusters that it can cut off, and the part of the kubelet."""

import base64
import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from framework.testing.control_plane.waiting import wait_until
from tests.cluster import Cluster
from tests.integration.laf.gate import Gate
from tests.integration.laf.manifests import APPLICATION, BUNDLE, CLUSTER, INSTANCE, RUNTIME, having
from tests.integration.laf.server import Manifest
from tests.integration.laf.stage import Stage, assert_keeps, conditions_of

# Ten on a machine of one's own.
LIMIT_SECONDS = 40.0
_SYSTEM_KINDS = ("Bundle", "Runtime", "Cluster")
_TENANT_KINDS = ("Application", "Instance")
_SUFFIXES = {"Deployment": "deployment", "Service": "svc", "Secret": "env"}


class World:
    """Names in the system namespace carry the id of the world: a module's tests share that namespace."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self.hub, self.remote = stage.hub, stage.remote
        self.id = uuid.uuid4().hex[:6]
        self.tenant = f"tenant-{self.id}"
        self.region = f"r1-{self.id}"
        self.gates: list[Gate] = []
        self.hub.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self.tenant}})

    # What users write.

    def name(self, short: str) -> str:
        return f"{short}-{self.id}"

    def appid(self, name: str) -> str:
        return f"{name}-{self.id}"

    def add_catalogue(self, *, bundle: dict[str, Any] | None = None, runtime: dict[str, Any] | None = None) -> None:
        self.add_bundle(**(bundle or {}))
        self.add_runtime(**(runtime or {}))

    def add_bundle(self, name: str = "small", **spec: Any) -> None:
        self._create(BUNDLE, self.name(name), self.stage.system, **spec)

    def add_runtime(self, name: str = "node18", **spec: Any) -> None:
        self._create(RUNTIME, self.name(name), self.stage.system, **spec)

    def add_cluster(
        self, name: str = "a", *, server: Cluster | None = None, cut: bool = False, token: str = "", **spec: Any
    ) -> Gate:
        """In the world's region, behind a relay of its own, which may be cut from the start."""
        gate = Gate(server or self.remote.plane, self.stage.folder, self.name(name))
        self.gates.append(gate)
        if cut:
            gate.relay.cut()
        config = gate.kubeconfig(token)
        self.keep_secret(config[:60], config[-60:], config[len(config) // 2 :][:60])
        spec = {"region": self.region, "clientConfig": config, "capacity": None, **spec}
        self._create(CLUSTER, gate.name, self.stage.system, **spec)
        return gate

    def add_ready_cluster(self, name: str = "a", **spec: Any) -> Gate:
        gate = self.add_cluster(name, **spec)
        self.expect("Cluster", name, Ready="True/ClusterReady")
        return gate

    def add_application(self, name: str = "shop", **spec: Any) -> Manifest:
        wanted = {
            "appid": self.appid(name),
            "region": self.region,
            "bundleName": self.name("small"),
            "runtimeName": self.name("node18"),
        }
        return self._create(APPLICATION, name, self.tenant, **{**wanted, **spec})

    def add_instance(self, name: str = "shop", **spec: Any) -> Manifest:
        wanted = {
            "appid": self.appid(name),
            "region": self.region,
            "bundle": self.name("small"),
            "runtime": self.name("node18"),
        }
        return self._create(INSTANCE, name, self.tenant, **{**wanted, **spec})

    def edit(self, kind: str, name: str, **spec: Any) -> Manifest:
        return self.hub.edit(kind, *self._where(kind, name), **spec)

    def annotate(self, kind: str, name: str, annotation: str, value: str = "true") -> Manifest:
        """With `laf.dev/` before *annotation*."""
        return self.hub.annotate(kind, *self._where(kind, name), {f"laf.dev/{annotation}": value})

    def delete(self, kind: str, name: str) -> None:
        self.hub.delete(kind, *self._where(kind, name))

    # What users see.

    def find(self, kind: str, name: str) -> Manifest | None:
        return self.hub.find(kind, *self._where(kind, name))

    def get(self, kind: str, name: str) -> Manifest:
        return self.hub.get(kind, *self._where(kind, name))

    def status(self, kind: str, name: str) -> Manifest:
        found: Manifest = self.get(kind, name).get("status", {})
        return found

    def conditions(self, kind: str, name: str) -> dict[str, str]:
        return conditions_of(self.get(kind, name))

    def expect(self, kind: str, name: str, *, status: dict[str, Any] | None = None, **conditions: str) -> Manifest:
        """Wait until its conditions are these, as in `Ready="False/NotPlaced"`, and its *status* has these fields."""
        seen: list[Manifest | None] = [None]

        def is_so() -> bool:
            seen[0] = self.find(kind, name)
            if seen[0] is None:
                return False
            told, fields = conditions_of(seen[0]), seen[0].get("status", {})
            return all(told.get(type_) == wanted for type_, wanted in conditions.items()) and all(
                (fields.get(field) or None) == (wanted or None) for field, wanted in (status or {}).items()
            )

        if not wait_until(is_so, limit_seconds=LIMIT_SECONDS):
            found = seen[0] or {}
            told = json.dumps({"told": conditions_of(found), **found.get("status", {})}, indent=1)
            raise AssertionError(f"{kind} {name} has not {conditions} {status or ''}: {told}")
        assert seen[0] is not None
        return seen[0]

    def expect_gone(self, kind: str, name: str) -> None:
        eventually(lambda: self.find(kind, name) is None, lambda: f"{kind} {name} is there: {self.find(kind, name)}")

    def events(self, kind: str, name: str) -> list[Manifest]:
        full, namespace = self._where(kind, name)
        about = ("kind", kind), ("name", full)
        found = self.hub.all_of("Event", namespace)
        return [each for each in found if all(each["involvedObject"].get(key) == value for key, value in about)]

    def expect_event(self, kind: str, name: str, reason: str, type_: str = "") -> Manifest:
        """Of that type, or of any."""

        def found() -> list[Manifest]:
            alike = [each for each in self.events(kind, name) if each["reason"] == reason]
            return [each for each in alike if type_ in ("", each["type"])]

        def told() -> str:
            return f"no {type_} {reason}, but {[(each['type'], each['reason']) for each in self.events(kind, name)]}"

        eventually(lambda: bool(found()), told)
        return found()[0]

    # What is on the remote.

    def remote_find(self, kind: str, instance: str = "shop") -> Manifest | None:
        return self.remote.find(kind, f"{instance}-{_SUFFIXES[kind]}", self.tenant)

    def remote_get(self, kind: str, instance: str = "shop") -> Manifest:
        return self.remote.get(kind, f"{instance}-{_SUFFIXES[kind]}", self.tenant)

    def deployment(self, instance: str = "shop") -> Manifest:
        """As soon as it is there."""
        eventually(
            lambda: self.remote_find("Deployment", instance) is not None,
            lambda: f"no Deployment of {instance}: {self.find('Instance', instance)}",
        )
        return self.remote_get("Deployment", instance)

    def main_container(self, instance: str = "shop") -> Manifest:
        found: Manifest = self.deployment(instance)["spec"]["template"]["spec"]["containers"][0]
        return found

    def expect_nothing_remote(self, instance: str = "shop") -> None:
        for kind in _SUFFIXES:
            eventually(lambda: self.remote_find(kind, instance) is None, lambda: f"{kind} of {instance} is there")  # noqa: B023 - called at once

    def play_kubelet(self, instance: str = "shop", available: int | None = None) -> None:
        """Have all pods of the Deployment ready, or *available* of them."""
        found = self.deployment(instance)
        wanted = found["spec"]["replicas"]
        ready = wanted if available is None else available
        self.remote.tell(
            "Deployment",
            found["metadata"]["name"],
            self.tenant,
            observedGeneration=found["metadata"]["generation"],
            replicas=wanted,
            updatedReplicas=wanted,
            readyReplicas=ready,
            availableReplicas=ready,
            unavailableReplicas=wanted - ready,
        )

    # Steps that many tests begin with.

    def run_application(self, name: str = "shop", **spec: Any) -> None:
        """One that has reached Running."""
        self.add_application(name, **spec)
        self.play_kubelet(name)
        self.expect("Application", name, status={"state": "Running"}, Ready="True/InstanceReady")

    def run_instance(self, name: str = "shop", **spec: Any) -> Manifest:
        """One that is ready, without an Application."""
        self.add_instance(name, **spec)
        self.play_kubelet(name)
        return self.expect("Instance", name, status={"status": "Running"}, Ready="True/Ready")

    # What nobody may see.

    def keep_secret(self, *secrets: str) -> None:
        self.stage.secrets.update(secrets)

    def assert_secrets_are_kept(self) -> None:
        """In what a tenant can read; logs are looked at when the stage is closed."""
        for each in self.hub.all_of("Secret", self.tenant):
            for value in each.get("data", {}).values():
                self.keep_secret(value, base64.b64decode(value).decode())
        for kind in ("Application", "Instance", "Event"):
            for namespace in (self.tenant, self.stage.system):
                text = json.dumps(self.hub.all_of(kind, namespace))
                assert_keeps(self.stage.secrets, text, f"the {kind}s of {namespace}")
        for kind in ("Deployment", "Service"):
            text = json.dumps(self.remote.all_of(kind, self.tenant))
            assert_keeps(self.stage.secrets, text, f"remote {kind}s")

    def close(self) -> None:
        print(self.stage.said_lately())  # noqa: T201 - pytest shows it when the test has failed
        try:
            self.assert_secrets_are_kept()
        finally:
            self._clean_up()

    def _clean_up(self) -> None:
        for gate in self.gates:
            gate.relay.restore()
        for kind in _TENANT_KINDS:
            self.hub.wipe(kind, self.tenant)
        for kind in reversed(_SYSTEM_KINDS):
            for each in self.hub.all_of(kind, self.stage.system):
                if each["metadata"]["name"].endswith(self.id):
                    self.hub.wipe_one(kind, each["metadata"]["name"], self.stage.system)
        for kind in _SUFFIXES:
            self.remote.wipe(kind, self.tenant)
        self.hub.delete("Namespace", self.tenant)
        for gate in self.gates:
            gate.relay.close()

    def _where(self, kind: str, name: str) -> tuple[str, str]:
        return (self.name(name), self.stage.system) if kind in _SYSTEM_KINDS else (name, self.tenant)

    def _create(self, manifest: Manifest, name: str, namespace: str, **spec: Any) -> Manifest:
        wanted = having(manifest, **spec)
        return self.hub.create({**wanted, "metadata": {"name": name, "namespace": namespace}})


def eventually(condition: Callable[[], bool], what: str | Callable[[], str], limit: float = LIMIT_SECONDS) -> None:
    if not wait_until(condition, limit_seconds=limit):
        raise AssertionError(f"not within {limit} s: {what if isinstance(what, str) else what()}")


@contextmanager
def world_of(stage: Stage) -> Iterator[World]:
    world = World(stage)
    try:
        yield world
    finally:
        world.close()
