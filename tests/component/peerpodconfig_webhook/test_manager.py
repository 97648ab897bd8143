"""The roll-out as a part of a manager that serves the webhook itself."""

import http.client
import ssl
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from prometheus_client import CollectorRegistry

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import ConfigMap
from apis.events.v1 import Event
from apis.meta import Key, ObjectMeta, Request, ResourceType, Unstructured
from controllers.peerpodconfig.webhook import (
    DisabledRollout,
    WebhookRollout,
    webhook_informers,
    webhook_rights,
    webhook_rollout,
)
from controllers.peerpodconfig.webhook.issuing import facts
from controllers.peerpodconfig.webhook.leaf import Leaf, leaf_in
from controllers.peerpodconfig.webhook.names import (
    AUTHORITY_SECRET,
    CONFIGURATION,
    CONFIGURATION_NAME,
    SECRET,
    SERVING_SECRET,
)
from controllers.peerpodconfig.webhook.secret_data import encoded
from controllers.peerpods.options import PeerPodOptions
from framework.certificates.key_pair import KeyPair
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.controller import ControllerOptions, Mapped, Source
from framework.errors import ConfigurationError, NotFound
from framework.http.address import listen
from framework.manager import Manager, ManagerOptions
from framework.reconcile import Result
from framework.testing.control_plane.ports import free_port
from framework.testing.control_plane.waiting import wait_until
from framework.webhooks import HookOptions, WebhookOptions
from framework.webhooks.configuration import VALIDATING
from tests.unit.controllers.podmutator.reviews import container, pod, review

pytestmark = pytest.mark.xdist_group("peerpods-webhook")
_NAME = "peerpodconfig"
_LIMIT_SECONDS = 60.0
_ALL = Request(Key("", "all"))


class Applies:
    """In place of the reconciler of PeerPodConfigs: all it does here is to roll out."""

    def __init__(self, rollout: WebhookRollout | DisabledRollout, namespace: str) -> None:
        self._rollout = rollout
        self._config = PeerPodConfig(metadata=ObjectMeta(namespace=namespace, name="one"))

    def reconcile(self, _request: Request) -> Result:
        return Result.after(self._rollout.apply([self._config]).look_again_seconds)


class InProcess:
    """What was served is served no more."""

    problem = "ended"

    def offer(self, _pair: KeyPair) -> bool:
        return False


class Hosted:
    def __init__(self, own_client: Client, client: Client, namespace: str, port: int) -> None:
        self.client = client
        self.namespace = namespace
        self.port = port
        self.options = options = PeerPodOptions(
            namespace=namespace,
            webhook_mode="in-process",
            webhook_address=f"127.0.0.1:{port}",
            webhook_url=f"https://127.0.0.1:{port}",
        )
        others = WebhookOptions(name=namespace, address="127.0.0.1:0", url="https://127.0.0.1:{port}")
        self.manager = Manager(own_client, registry=CollectorRegistry(), options=ManagerOptions(webhooks=others))
        self.rollout = webhook_rollout(self.manager, options, _NAME)
        sources: list[Source] = [
            Mapped(informer, lambda _: [_ALL]) for informer in webhook_informers(self.manager, options)
        ]
        self._controller = self.manager.add_controller(
            _NAME, Applies(self.rollout, namespace), sources, ControllerOptions(rights=webhook_rights(options))
        )

    def start(self) -> None:
        self.manager.start()
        self._controller.enqueue(_ALL)

    def end(self) -> None:
        # First: it would make again what is removed.
        self.manager.stop()
        WebhookRollout(self.client, self.options, clock=SystemClock(), server=InProcess()).remove()

    def leaf(self) -> Leaf:
        found: Unstructured = self.client.get(SECRET, Key(self.namespace, SERVING_SECRET))
        return leaf_in(found.content)

    def has(self, resource_type: ResourceType, key: Key) -> bool:
        try:
            self.client.get(resource_type, key)
        except NotFound:
            return False
        return True

    def ask(self) -> int:
        """The status of the answer to a review, asked with the trust of the Secret; 0: nobody answers."""
        try:
            context = ssl.create_default_context(cadata=self.leaf().issuer.decode())
            with closing(http.client.HTTPSConnection("127.0.0.1", self.port, context=context, timeout=30)) as asked:
                body = msgspec.json.encode(review(pod(container())))
                asked.request("POST", "/mutate-v1-pod?timeout=10s", body, {"Content-Type": "application/json"})
                return asked.getresponse().status
        except (NotFound, OSError):
            return 0


@pytest.fixture
def own_client(kubeconfig: Path) -> Client:
    """One for the manager, which closes it."""
    return connect(from_kubeconfig(str(kubeconfig), clock=SystemClock()))


@pytest.fixture
def hosted(own_client: Client, client: Client, namespace: str) -> Iterator[Hosted]:
    made = Hosted(own_client, client, namespace, free_port())
    made.start()
    assert wait_until(lambda: made.ask() == 200, limit_seconds=_LIMIT_SECONDS)
    yield made
    made.end()


def test_it_serves_from_its_start_to_its_stop(hosted: Hosted) -> None:
    hosted.manager.stop()

    assert hosted.ask() == 0


def test_what_is_deleted_comes_back(hosted: Hosted) -> None:
    for resource_type, key in (
        (SECRET, Key(hosted.namespace, SERVING_SECRET)),
        (SECRET, Key(hosted.namespace, AUTHORITY_SECRET)),
        (CONFIGURATION, Key("", CONFIGURATION_NAME)),
    ):
        hosted.client.delete(resource_type, key)
        assert wait_until(lambda: hosted.has(resource_type, key), limit_seconds=_LIMIT_SECONDS)  # noqa: B023 - used at once


def test_its_end_and_its_rotation_are_told(hosted: Hosted) -> None:
    registry = hosted.manager.registry
    assert registry.get_sample_value("peerpods_webhook_cert_expiry_seconds") == _end(hosted)

    spoilt = {"data": {"tls.key": encoded(b"spoilt")}}
    hosted.client.merge_patch(SECRET, Key(hosted.namespace, SERVING_SECRET), spoilt)

    assert wait_until(lambda: "CertificateRotated" in _reasons(hosted), limit_seconds=_LIMIT_SECONDS)


def test_readiness_tells_of_it_and_does_not_wait_for_it(hosted: Hosted) -> None:
    is_fine, text = hosted.manager.readiness.report()

    assert is_fine
    assert "pod-webhook ok" in text


def test_it_is_served_beside_webhooks_of_the_manager(own_client: Client, client: Client, namespace: str) -> None:
    both = Hosted(own_client, client, namespace, free_port())
    only_here = {"matchLabels": {"kubernetes.io/metadata.name": namespace}}
    both.manager.webhooks.validate(ConfigMap, lambda _: None, HookOptions(namespace_selector=only_here))
    both.start()

    assert wait_until(lambda: both.ask() == 200, limit_seconds=_LIMIT_SECONDS)

    value = both.manager.registry.get_sample_value("peerpods_webhook_reviews_total", {"result": "mutated"})
    assert value == 1.0
    both.end()
    client.delete(VALIDATING, Key("", namespace))


def test_a_port_that_is_taken_ends_the_start(own_client: Client, client: Client, namespace: str) -> None:
    with listen("webhook", "127.0.0.1:0") as taken:
        refused = Hosted(own_client, client, namespace, int(taken.getsockname()[1]))

        with pytest.raises(ConfigurationError, match="webhook address"):
            refused.start()
        refused.manager.stop()


def _end(hosted: Hosted) -> float:
    found = facts(hosted.leaf().pair.certificate)
    assert found is not None
    return found.ends_at.timestamp()


def _reasons(hosted: Hosted) -> set[str]:
    return {event.reason for event in hosted.client.list(Event, hosted.namespace)}
