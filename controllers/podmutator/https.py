"""Serves the mutator over TLS with whatever certificate is offered."""

import socket

import msgspec
from prometheus_client import CollectorRegistry

from controllers.podmutator.hook import MutatorHook
from controllers.podmutator.metrics import MutatorMetrics
from controllers.podmutator.mutator import PodMutator
from controllers.podmutator.options import MutatorOptions
from controllers.podmutator.tls_policy import TlsPolicy
from framework.certificates.metrics import CertificateMetrics
from framework.certificates.serving import ServingCertificate
from framework.clock import Clock
from framework.http.options import MEBIBYTE
from framework.http.server import HttpServer
from framework.runtime import Runtime
from framework.webhooks.handler import WebhookHandler
from framework.webhooks.metrics import WebhookMetrics
from framework.webhooks.options import WEBHOOK_HTTP

_HTTP = msgspec.structs.replace(WEBHOOK_HTTP, max_body_bytes=3 * MEBIBYTE)


class MutatorServer:
    """Listens from the moment it is made; a connection is answered once it has started and has a certificate."""

    def __init__(
        self,
        listening: socket.socket,
        options: MutatorOptions,
        policy: TlsPolicy,
        *,
        clock: Clock,
        runtime: Runtime,
        registry: CollectorRegistry,
        metrics: MutatorMetrics | None = None,
    ) -> None:
        """*registry* must have nothing of another webhook server; *metrics* may be of another registry."""
        self.certificate = ServingCertificate(policy.new_context, clock=clock, metrics=CertificateMetrics(registry))
        hook = MutatorHook(PodMutator(options), metrics or MutatorMetrics(registry))
        handler = WebhookHandler([hook], clock=clock, runtime=runtime, metrics=WebhookMetrics(registry, clock))
        self._server = HttpServer(
            handler, listening=listening, tls=self.certificate.context, clock=clock, runtime=runtime, options=_HTTP
        )
        self._is_started = False

    @property
    def port(self) -> int:
        """Known once it has started."""
        return self._server.port

    @property
    def problem(self) -> str | None:
        """Why nobody can be served."""
        return self.certificate.problem if self._is_started else "the port is not served yet"

    def start(self) -> None:
        self._server.start()
        self._is_started = True

    def stop(self, grace_seconds: float) -> None:
        """Accept no more; what is under way is answered if it can be within *grace_seconds*."""
        self._is_started = False
        self._server.stop(grace_seconds)
