"""The webhook rolled out, and pods that are created while it is."""

import base64
import socket
import ssl
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

import msgspec
from prometheus_client import CollectorRegistry

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import Namespace
from apis.meta import GroupVersionKind, Key, ObjectMeta, ResourceType, Unstructured
from controllers.peerpodconfig.webhook import WebhookRollout, WebhookState
from controllers.peerpodconfig.webhook.in_process import InProcessWebhook
from controllers.peerpodconfig.webhook.names import CONFIGURATION, CONFIGURATION_NAME
from controllers.peerpods.options import PeerPodOptions
from framework.client import Client
from framework.client.observer import Access, Observer
from framework.clock import SystemClock
from framework.errors import WindlassError
from framework.runtime import ThreadRuntime
from framework.testing.control_plane.waiting import wait_until

POD = ResourceType(GroupVersionKind("", "v1", "Pod"), "pods")
LIMIT_SECONDS = 60.0
Json = dict[str, Any]


class Writes(Observer):
    def __init__(self) -> None:
        self.made: list[str] = []

    def sending(self, access: Access) -> None:
        if not access.is_read:
            self.made.append(f"{access.verb} {access.resource_type.gvk.kind} {access.name}")


class Notes:
    """What is told of certificates."""

    def __init__(self) -> None:
        self.heard: list[str] = []

    def rotated(self, configs: Sequence[PeerPodConfig], note: str) -> None:
        assert configs
        self.heard.append(note)

    def expires(self, leaf: bytes) -> None:
        assert leaf


class RolledOut:
    """In the mode `in-process`, from one end of a `with` to the other."""

    def __init__(self, client: Client, namespace: str, **options: Any) -> None:
        self.client = client
        self.namespace = namespace
        self.notes = Notes()
        self.writes = Writes()
        base = PeerPodOptions(namespace=namespace, webhook_mode="in-process", webhook_address="127.0.0.1:0")
        self._options = msgspec.structs.replace(base, **options)
        self.server = InProcessWebhook(
            client, self._options, clock=SystemClock(), runtime=ThreadRuntime(), registry=CollectorRegistry()
        )
        self._config = PeerPodConfig(metadata=ObjectMeta(namespace=namespace, name="one"))

    def __enter__(self) -> Self:
        self.server.start()
        url = f"https://127.0.0.1:{self.server.port}"
        self.rollout = WebhookRollout(
            self.client.observed_by(self.writes),
            msgspec.structs.replace(self._options, webhook_url=url),
            clock=SystemClock(),
            server=self.server,
            listener=self.notes,
        )
        assert self.apply().is_ready
        return self

    def __exit__(self, *_: object) -> None:
        self.rollout.remove()
        self.server.stop(1.0)

    def apply(self) -> WebhookState:
        return self.rollout.apply([self._config])

    def wait_until_asked(self) -> None:
        """An API server hears of a configuration some time after it is there."""
        with operand_namespace(self.client) as elsewhere:
            assert wait_until(lambda: self._is_asked(elsewhere), limit_seconds=LIMIT_SECONDS)

    def _is_asked(self, namespace: str) -> bool:
        try:
            return "kata.peerpods.io/vm" in str(create_pod(self.client, namespace, target_spec()))
        except WindlassError:
            # By the configuration of a webhook before this one, whose server is gone.
            return False

    def handshake(self) -> bytes:
        """The certificate shown, verified as the API server does it now; raises SSLError."""
        found: Unstructured = self.client.get(CONFIGURATION, Key("", CONFIGURATION_NAME))
        bundle = base64.b64decode(found.content["webhooks"][0]["clientConfig"]["caBundle"])
        context = ssl.create_default_context(cadata=bundle.decode())
        with (
            socket.create_connection(("127.0.0.1", self.server.port), LIMIT_SECONDS) as opened,
            context.wrap_socket(opened, server_hostname="127.0.0.1") as encrypted,
        ):
            return encrypted.getpeercert(binary_form=True) or b""


@contextmanager
def operand_namespace(client: Client) -> Iterator[str]:
    name = f"test-{uuid.uuid4().hex[:10]}"
    client.create(Namespace(metadata=ObjectMeta(name=name)))
    yield name
    client.delete(Namespace, Key("", name))


def target_spec(*containers: Json, init: Sequence[Json] = (), **fields: Any) -> Json:
    given = [dict(each) for each in containers] or [{}]
    for index, each in enumerate(given):
        given[index] = {"name": f"c{index}", "image": "i", **each}
    spec: Json = {"runtimeClassName": "kata-remote", "containers": given, **fields}
    if init:
        spec["initContainers"] = [{"name": f"i{index}", "image": "i", **each} for index, each in enumerate(init)]
    return spec


def create_pod(client: Client, namespace: str, spec: Json, **metadata: Any) -> Json:
    """The pod as it was stored."""
    named = {"namespace": namespace, "name": f"p-{uuid.uuid4().hex[:10]}", **metadata}
    created: Unstructured = client.create(Unstructured(content={"metadata": named, "spec": spec}), kind=POD)
    return created.content
