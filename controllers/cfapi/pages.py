"""What is served beside the API, without a token: probes and metrics."""

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from framework.http.exchange import Answer, ServerRequest
from framework.manager.health import Checks

_OK, _NOT_READY = 200, 500
_PLAIN = {"Content-Type": "text/plain; charset=utf-8"}


class ProbePages:
    def __init__(self, health: Checks, readiness: Checks, registry: CollectorRegistry) -> None:
        self._checks = {"/healthz": health, "/readyz": readiness}
        self._registry = registry

    def page(self, request: ServerRequest) -> Answer | None:
        path = request.target.partition("?")[0]
        if request.method not in {"GET", "HEAD"}:
            return None
        if path in self._checks:
            is_fine, text = self._checks[path].report()
            return Answer(_OK if is_fine else _NOT_READY, _PLAIN, text.encode())
        if path == "/metrics":
            encode, content_type = choose_encoder(request.headers.get("accept", ""))
            return Answer(_OK, {"Content-Type": content_type}, encode(self._registry))
        return None
