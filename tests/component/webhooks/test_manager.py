"""Webhooks as a part of the manager."""

import base64
import http.client
import socket
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest
from structlog.testing import capture_logs

from apis.core.v1 import ConfigMap
from apis.meta import GroupVersionKind, Key, ObjectMeta, ResourceType, Unstructured
from apis.schema import crd_of
from framework.apiserver.embedded import EmbeddedOptions, EmbeddedServer
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer, ServerOptions
from framework.certificates import CertificateOptions
from framework.certificates.material import material_in
from framework.certificates.secret_store import SECRET
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.errors import ConfigurationError
from framework.http.exchange import PeerCertificate
from framework.manager import Manager, ManagerOptions
from framework.rights import AccessRecorder, Need, compare
from framework.runtime import ThreadRuntime
from framework.testing.control_plane.waiting import wait_until
from framework.webhooks import WebhookOptions
from framework.webhooks.configuration import MUTATING, VALIDATING
from framework.webhooks.targets import CRD
from tests.component.webhooks.replicas import PLACES, Gadget, Replica, World, Writes, by_hand, by_hand_on

WEBHOOKS = WebhookOptions(name="shop", address="127.0.0.1:0", url="https://127.0.0.1:{port}")
GadgetV1 = ResourceType(GroupVersionKind("shop.example.com", "v0", "Gadget"), "gadgets")
IN_DEFAULT = CertificateOptions(secret=Key("default", "certificates"))
OPTIONS = ManagerOptions(health_address="127.0.0.1:0", metrics_address="127.0.0.1:0", webhooks=WEBHOOKS)


def manager_of(client: Client) -> Iterator[Manager]:
    manager = Manager(client, options=OPTIONS)
    manager.webhooks.validate(ConfigMap, lambda _: None)
    manager.start()
    yield manager
    manager.stop()


@pytest.fixture
def server() -> ApiServer:
    return ApiServer()


@pytest.fixture
def manager(server: ApiServer) -> Iterator[Manager]:
    yield from manager_of(in_process_client(server))


@pytest.fixture
def powerless(server: ApiServer) -> Iterator[Manager]:
    yield from manager_of(in_process_client(server, user=PeerCertificate("nobody")))


def page(manager: Manager, name: str, path: str) -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", manager.ports[name], timeout=10)
    connection.request("GET", path)
    answer = connection.getresponse()
    text = answer.read().decode()
    connection.close()
    return answer.status, text


def is_ready(manager: Manager) -> bool:
    return page(manager, "health", "/readyz")[0] == 200


def test_the_manager_is_ready_when_it_can_be_called(manager: Manager) -> None:
    assert wait_until(lambda: is_ready(manager), limit_seconds=20)

    assert "[+]webhooks ok" in page(manager, "health", "/readyz")[1]
    assert manager.webhooks.port > 0


def test_readiness_says_why_there_is_no_certificate(powerless: Manager) -> None:
    def line() -> str:
        return next(line for line in page(powerless, "health", "/readyz")[1].splitlines() if "webhooks:" in line)

    assert wait_until(lambda: "forbidden" in line(), limit_seconds=20)

    assert line().startswith("[-]webhooks: there is no certificate yet; ")
    assert 'User "nobody" cannot get resource' in line()


def test_a_port_that_is_taken_is_told_in_one_line_and_nothing_stays_open(server: ApiServer) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        options = msgspec.structs.replace(OPTIONS, webhooks=msgspec.structs.replace(WEBHOOKS, address=address))
        manager = Manager(in_process_client(server), options=options)
        manager.webhooks.validate(ConfigMap, lambda _: None)

        with pytest.raises(ConfigurationError, match=f"webhook address {address} cannot be listened on"):
            manager.start()

    assert manager.ports == {}


def test_metrics_have_the_names_of_controller_runtime(manager: Manager) -> None:
    assert wait_until(lambda: is_ready(manager), limit_seconds=20)

    text = page(manager, "metrics", "/metrics")[1]

    path = "/validate--v1-configmap"
    for line in (
        f'controller_runtime_webhook_requests_total{{code="200",webhook="{path}"}} 0.0',
        f'controller_runtime_webhook_requests_in_flight{{webhook="{path}"}} 0.0',
        f'controller_runtime_webhook_latency_seconds_count{{webhook="{path}"}} 0.0',
        "controller_runtime_webhook_panics_total 0.0",
        "controller_runtime_conversion_webhook_panics_total 0.0",
        "certwatcher_read_certificate_errors_total 0.0",
    ):
        assert line in text
    assert "certwatcher_read_certificate_total" in text
    assert 'windlass_certificate_expiry_timestamp_seconds{certificate="authority"}' in text


def test_a_service_in_front_is_trusted_by_its_name(tmp_path: Path) -> None:
    ports: list[int] = []
    resolving = ServerOptions(resolve_service=lambda _namespace, _name, _port: ("127.0.0.1", ports[0]))
    seen: list[Key] = []
    with EmbeddedServer(tmp_path, options=EmbeddedOptions(server=resolving)) as server:
        client = connect(from_kubeconfig(str(server.kubeconfig), clock=SystemClock()))
        webhooks = WebhookOptions(address="127.0.0.1:0", service=Key("shop-system", "shop"), certificates=IN_DEFAULT)
        manager = Manager(client, options=ManagerOptions(webhooks=webhooks))
        manager.webhooks.validate(ConfigMap, lambda request: seen.append(request.key))
        manager.start()
        ports.append(manager.webhooks.port)
        assert wait_until(lambda: manager.webhooks.problem is None, limit_seconds=20)

        client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace="default")))

        manager.stop()
    assert seen == [Key("default", "a")]


def lives(client: Client, options: ManagerOptions, *, kinds: Sequence[str]) -> tuple[Need, ...]:
    """One program from its start until it can be called; what it says it needs."""
    manager = Manager(client, options=options)
    if "validate" in kinds:
        manager.webhooks.validate(ConfigMap, lambda _: None)
    if "mutate" in kinds:
        manager.webhooks.mutate(ConfigMap, lambda _: None)
    manager.webhooks.convert(GadgetV1, Gadget, lambda gadget: gadget, lambda gadget: gadget)
    manager.start()
    assert wait_until(lambda: manager.webhooks.problem is None, limit_seconds=20)
    assert wait_until(lambda: not manager.readiness.problems(), limit_seconds=20)
    manager.stop()
    return manager.needs("webhooks")


@pytest.mark.parametrize("manages", [True, False])
def test_what_is_declared_is_what_is_done(server: ApiServer, manages: bool) -> None:  # noqa: FBT001 - pytest gives it so
    plain, recorder = in_process_client(server), AccessRecorder(ThreadRuntime())
    plain.apply(CRD, crd_of(Gadget))
    webhooks = msgspec.structs.replace(WEBHOOKS, manages_configurations=manages)
    options = ManagerOptions(webhooks=webhooks)
    if not manages:
        by_hand_on(plain)

    needs: list[Need] = []
    for kinds in (["validate", "mutate"], ["validate"], ["mutate"]):
        client = in_process_client(server).acting_as("windlass", recorder)
        needs += lives(client, options, kinds=kinds)
        plain.merge_patch(SECRET, Key("default", "shop-webhook-certificates"), {"data": {"tls.key": "AAAA"}})

    found = compare(needs, recorder.seen)
    assert found.undeclared == ()
    # Lists are for servers that cannot begin a watch with one; to a server an apply that creates is also a create.
    kept = {right for right in found.unused if not right.startswith("list ")}
    assert kept == ({f"create {each}" for each in (VALIDATING, MUTATING)} if manages else set())


def test_a_replica_that_does_not_lead_writes_bundles_and_no_rules() -> None:
    world, writes = World(), Writes()
    by_hand(world)
    change = {"op": "replace", "path": "/webhooks/0/failurePolicy", "value": "Ignore"}
    world.client.json_patch(VALIDATING, Key("", "shop"), [change])
    follower = Replica(world, writes, leads=False)

    follower.round()

    found: Unstructured = world.client.get(VALIDATING, Key("", "shop"))
    assert found.content["webhooks"][0]["failurePolicy"] == "Ignore"
    assert all(world.bundle(place) for place in PLACES)


def test_a_key_is_in_no_log() -> None:
    world = World()
    replica = Replica(world, Writes())

    with capture_logs() as lines:
        replica.round()
        world.time.advance(1201)
        replica.round()
        replica.serving.offer(replica.keeper._rotation.fresh().authority)

    material = material_in(world.secret().content["data"])
    assert material is not None
    text = repr(lines)
    for key in (material.authority.key, material.serving.key):
        assert key.decode().splitlines()[1] not in text
        assert base64.b64encode(key).decode()[:40] not in text
    assert "PRIVATE" not in text
