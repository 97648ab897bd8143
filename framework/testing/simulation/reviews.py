"""Asks the webhooks of simulated processes, without sockets: the review is answered by a task of the process."""

from collections.abc import Iterable

from framework.apiserver.admission import CallFailed
from framework.apiserver.admission.caller import good_body, posting
from framework.apiserver.admission.calling import Called
from framework.apiserver.admission.client_config import ClientConfig, client_of
from framework.apiserver.objects import Object
from framework.client import HttpResponse
from framework.clock import Clock
from framework.http.exchange import Answer, Handler, ServerRequest
from framework.runtime import Runtime
from framework.testing.simulation.plan import Fault
from framework.testing.simulation.scheduler import Life, Scheduler

_JSON = {"content-type": "application/json", "accept": "application/json"}
_NO_REVIEW = b'{"kind":"AdmissionReview","response":{"allowed":'


class Reviews:
    """A Caller of `framework.apiserver.admission`, for the server of one run."""

    def __init__(self, scheduler: Scheduler, clock: Clock, runtime: Runtime) -> None:
        self._scheduler = scheduler
        self._clock = clock
        self._runtime = runtime
        # By the name under which the server calls it.
        self._served: dict[str, tuple[Life, Handler]] = {}
        self._fault: Fault | None = None
        self._fault_ends_at = 0.0
        self.count = 0

    def serve(self, hosts: Iterable[str], life: Life, handler: Handler) -> None:
        """From now on, until the end of *life*."""
        for host in hosts:
            self._served[host] = (life, handler)

    def disturb(self, fault: Fault) -> None:
        self._fault, self._fault_ends_at = fault, self._clock.monotonic() + fault.seconds

    def call(self, webhook: Called, body: bytes) -> bytes:
        return self._post(webhook.client, body, webhook.timeout_seconds)

    def call_client(self, client_config: Object, body: bytes, timeout_seconds: int) -> bytes:
        return self._post(client_of(client_config), body, timeout_seconds)

    def close(self) -> None:
        self._served.clear()

    def _post(self, client: ClientConfig, body: bytes, seconds: float) -> bytes:
        self.count += 1
        host, path = _place(client)
        called = posting(f"https://{host}{path}", seconds)
        trouble = self._fault.do if self._fault and self._clock.monotonic() < self._fault_ends_at else None
        if trouble == "webhook_hangs":
            self._clock.wait(seconds)
            raise CallFailed(f"{called}: context deadline exceeded")
        if trouble == "webhook_babbles":
            return _NO_REVIEW
        life, handler = self._served.get(host.partition(":")[0], (None, None))
        if trouble == "webhook_refuses" or life is None or handler is None or life.is_over:
            raise CallFailed(f"{called}: dial tcp {host}: connect: connection refused")
        answer = self._ask(life, handler, ServerRequest("POST", f"{path}?timeout={seconds:g}s", _JSON, body), seconds)
        if answer is None:
            raise CallFailed(f"{called}: context deadline exceeded")
        headers = {name.lower(): value for name, value in answer.headers.items()}
        return good_body(HttpResponse(answer.status, headers, answer.body))

    def _ask(self, life: Life, handler: Handler, request: ServerRequest, seconds: float) -> Answer | None:
        answers: list[Answer] = []
        answered = self._runtime.event()

        def review() -> None:
            answers.append(handler.handle(request))
            answered.set()

        self._scheduler.spawn(f"{life.name}/review", review, life)
        return answers[0] if answered.wait(seconds) else None


def _place(client: ClientConfig) -> tuple[str, str]:
    if client.service is not None:
        service = client.service
        return f"{service.name}.{service.namespace}.svc:{service.port}", service.path
    host, _, path = client.url.removeprefix("https://").partition("/")
    return host, f"/{path}"
