"""Rolls the webhook out and takes it down."""

from collections.abc import Sequence
from typing import Protocol

from apis.confidentialcontainers.peerpodconfig import FailurePolicy, PeerPodConfig
from apis.meta import Key
from controllers.peerpodconfig.webhook.certificates import Settled, WebhookCertificates
from controllers.peerpodconfig.webhook.configuration import configuration, has_conditions, hosts, trusts
from controllers.peerpodconfig.webhook.names import (
    CONFIGURATION,
    CONFIGURATION_NAME,
    DEPLOYMENT,
    DEPLOYMENT_NAME,
    SERVICE,
    SERVICE_NAME,
)
from controllers.peerpodconfig.webhook.operands import deployment, service
from controllers.peerpodconfig.webhook.own_objects import Document, NameTaken, OwnObjects
from controllers.peerpodconfig.webhook.rotation import Rotation
from controllers.peerpodconfig.webhook.state import WebhookState
from controllers.peerpodconfig.webhook.takedown import Takedown
from controllers.peerpods.options import PeerPodOptions
from framework.certificates.key_pair import KeyPair
from framework.client import Client
from framework.clock import Clock
from framework.errors import ConfigurationError

_CONFIGURATION_KEY = Key("", CONFIGURATION_NAME)


class OwnServer(Protocol):
    """The webhook as this process serves it."""

    @property
    def problem(self) -> str | None:
        """Why nobody can be served."""

    def offer(self, pair: KeyPair) -> bool:
        """Show *pair* from now on."""


class Listener(Protocol):
    def rotated(self, configs: Sequence[PeerPodConfig], note: str) -> None:
        """A certificate was replaced."""

    def expires(self, leaf: bytes) -> None:
        """*leaf* is what the server shows from now on."""


class WebhookRollout:
    """*server* is needed in the mode `in-process`, and started by whoever gives it."""

    def __init__(
        self,
        client: Client,
        options: PeerPodOptions,
        *,
        clock: Clock,
        server: OwnServer | None = None,
        listener: Listener | None = None,
    ) -> None:
        if options.webhook_mode == "in-process" and server is None:
            raise ConfigurationError("webhook-mode in-process: there is no server in this process")
        self._options = options
        self._objects = OwnObjects(client)
        self._takedown = Takedown(self._objects, options.namespace)
        self._certificates = WebhookCertificates(
            self._objects, options.namespace, Rotation(hosts(options), options), clock=clock
        )
        self._server = server
        self._listener = listener
        # Asked once for each process: the API server may be a newer one by then.
        self._drops_conditions = False

    def apply(self, configs: Sequence[PeerPodConfig]) -> WebhookState:
        """For all *configs* that are not being deleted; takes everything down if none of them wants it."""
        wanted = [config for config in configs if config.spec.webhook.enabled]
        if not wanted:
            self.remove()
            return WebhookState(is_applied=True, is_ready=True, reason="Disabled", message="nobody wants the webhook")
        try:
            live = self._objects.read(CONFIGURATION, _CONFIGURATION_KEY)
        except NameTaken as taken:
            return WebhookState(is_applied=True, is_ready=True, reason="ExternallyManaged", message=str(taken))
        try:
            return self._roll_out(wanted, live)
        except NameTaken as taken:
            return WebhookState(is_applied=False, is_ready=False, reason="NameTaken", message=str(taken))

    def remove(self) -> None:
        """All that is ours; the configuration first, as nobody would answer what it asks for."""
        self._takedown.remove()

    def _roll_out(self, wanted: Sequence[PeerPodConfig], live: Document | None) -> WebhookState:
        if self._options.webhook_mode == "deployment" and not self._options.webhook_image:
            why = "no image of the webhook is known; give webhook-image"
            return WebhookState(is_applied=False, is_ready=False, reason="ImageMissing", message=why)
        problem = self._serve(wanted)
        settled = self._certificates.settle()
        if self._server is not None:
            self._server.offer(settled.leaf.pair)
            problem = self._server.problem
        self._tell(wanted, settled)
        since_before = trusts(live, settled.authorities.bundle)
        self._configure(wanted, settled, live)
        settled = self._certificates.trusted(settled, since_before=since_before)
        return self._state(problem, self._certificates.look_again_seconds(settled))

    def _serve(self, wanted: Sequence[PeerPodConfig]) -> str | None:
        """What keeps the server from answering, as far as that is known here."""
        if self._options.webhook_mode == "in-process":
            self._takedown.remove_operands()
            return None
        namespace = self._options.namespace
        found = self._objects.read(SERVICE, Key(namespace, SERVICE_NAME))
        self._objects.bring(SERVICE, service(self._options), found)
        replicas = max(config.spec.webhook.replicas for config in wanted)
        found = self._objects.read(DEPLOYMENT, Key(namespace, DEPLOYMENT_NAME))
        brought = self._objects.bring(DEPLOYMENT, deployment(self._options, replicas), found)
        is_available = (brought.get("status") or {}).get("availableReplicas", 0) > 0
        return None if is_available else f"no pod of Deployment {namespace}/{DEPLOYMENT_NAME} is available"

    def _configure(self, wanted: Sequence[PeerPodConfig], settled: Settled, live: Document | None) -> None:
        bundle = settled.authorities.bundle
        policy = FailurePolicy.IGNORE
        if any(config.spec.webhook.failure_policy == FailurePolicy.FAIL for config in wanted):
            policy = FailurePolicy.FAIL
        if live is None or not has_conditions(live):
            live = self._first_configuration(bundle, live)
        if has_conditions(live):
            self._drops_conditions = False
            self._objects.bring(CONFIGURATION, configuration(self._options, bundle, policy), live)

    def _first_configuration(self, bundle: bytes, live: Document | None) -> Document:
        """One that blocks nobody, until it is known to concern pods of the class alone."""
        harmless = FailurePolicy.IGNORE
        if live is None or not self._drops_conditions:
            live = self._objects.bring(CONFIGURATION, configuration(self._options, bundle, harmless), live)
            self._drops_conditions = not has_conditions(live)
            return live
        reduced = configuration(self._options, bundle, harmless, has_conditions=False)
        return self._objects.bring(CONFIGURATION, reduced, live)

    def _state(self, problem: str | None, look_again_seconds: float) -> WebhookState:
        reason, message = "Available", "pods of the class become peer pods"
        if self._drops_conditions:
            reason = "MatchConditionsUnsupported"
            message = "the API server drops matchConditions, as before Kubernetes 1.30; so failurePolicy is Ignore"
        elif problem is not None:
            reason, message = "NotAvailable", problem
        return WebhookState(
            is_applied=True,
            is_ready=reason == "Available",
            reason=reason,
            message=message,
            look_again_seconds=look_again_seconds,
        )

    def _tell(self, wanted: Sequence[PeerPodConfig], settled: Settled) -> None:
        if self._listener is None:
            return
        self._listener.expires(settled.leaf.pair.certificate)
        for note in settled.news:
            self._listener.rotated(wanted, note)
