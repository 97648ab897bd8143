"""The webhook as this process serves it, with the certificate of the Secret. Loads `cryptography`."""

import structlog
from prometheus_client import CollectorRegistry

from apis.meta import Key, Unstructured
from controllers.peerpodconfig.webhook.leaf import leaf_in
from controllers.peerpodconfig.webhook.names import SECRET, SERVING_SECRET
from controllers.peerpods.names import MANAGED_BY, MANAGED_BY_LABEL
from controllers.peerpods.options import PeerPodOptions
from controllers.podmutator import MutatorOptions
from controllers.podmutator.https import MutatorServer
from controllers.podmutator.metrics import MutatorMetrics
from controllers.podmutator.tls_policy import tls_policy
from framework.certificates.key_pair import KeyPair
from framework.client import Client
from framework.clock import Clock
from framework.errors import WindlassError
from framework.http.address import listen
from framework.runtime import Runtime, Task

_END_SECONDS = 5.0

_log = structlog.get_logger("windlass.webhook")


class InProcessWebhook:
    """Serves whether this process leads or not.

    Who leads offers a certificate as soon as it is issued; others find it in the Secret.
    """

    def __init__(
        self, client: Client, options: PeerPodOptions, *, clock: Clock, runtime: Runtime, registry: CollectorRegistry
    ) -> None:
        self._client = client
        self._options = options
        self._clock = clock
        self._runtime = runtime
        self._metrics = MutatorMetrics(registry)
        self._policy = tls_policy(
            {"TLS_MIN_VERSION": options.tls_min_version, "TLS_CIPHER_SUITES": options.tls_cipher_suites}
        )
        self._server: MutatorServer | None = None
        self._stopping = runtime.event()
        self._task: Task | None = None
        # How often the roll-out has offered something, under _lock: what was read before is older.
        self._offers = 0
        self._lock = runtime.lock()

    @property
    def port(self) -> int:
        return 0 if self._server is None else self._server.port

    @property
    def problem(self) -> str | None:
        return "the webhook is not served yet" if self._server is None else self._server.problem

    def offer(self, pair: KeyPair) -> bool:
        """Show *pair* from now on; false if it is of no use, or nothing is served."""
        with self._lock:
            self._offers += 1
            return self._server is not None and self._server.certificate.offer(pair)

    def start(self) -> None:
        options = self._options
        self._server = MutatorServer(
            listen("webhook", options.webhook_address),
            MutatorOptions(options.target_runtime_classes, options.extended_resource, options.resource_aggregation),
            self._policy,
            clock=self._clock,
            runtime=self._runtime,
            # The manager may serve webhooks of its own, whose metrics have the same names.
            registry=CollectorRegistry(),
            metrics=self._metrics,
        )
        self._server.start()
        self._task = self._runtime.spawn("webhook-certificate", self._run)

    def stop(self, grace_seconds: float) -> None:
        self._stopping.set()
        if self._task is not None:
            self._task.join(_END_SECONDS)
        if self._server is not None:
            self._server.stop(min(grace_seconds, _END_SECONDS))

    def _run(self) -> None:
        self._look()
        while not self._stopping.wait(self._options.webhook_poll_seconds):
            self._look()

    def _look(self) -> None:
        with self._lock:
            offers = self._offers
        pair = self._read()
        if pair is None:
            return
        with self._lock:
            if self._offers == offers and self._server is not None:
                self._server.certificate.offer(pair)

    def _read(self) -> KeyPair | None:
        try:
            found: Unstructured = self._client.get(SECRET, Key(self._options.namespace, SERVING_SECRET))
        except WindlassError as error:
            # It is not there yet, or the API server does not answer: what is shown stays.
            _log.debug("webhook_certificate_not_read", error=str(error))
            return None
        pair = leaf_in(found.content).pair
        is_ours = found.metadata.labels.get(MANAGED_BY_LABEL) == MANAGED_BY
        return pair if is_ours and pair.certificate and pair.key else None
