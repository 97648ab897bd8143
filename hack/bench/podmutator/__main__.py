"""How long a review of a pod with 100 containers takes: in the hook alone, and over TLS on one connection."""

import http.client
import ssl
import statistics
import time
from collections.abc import Callable, Sequence
from contextlib import closing

import msgspec
from prometheus_client import CollectorRegistry

from controllers.podmutator import PATH, MutatorOptions, PodMutator
from controllers.podmutator.hook import MutatorHook
from controllers.podmutator.https import MutatorServer
from controllers.podmutator.metrics import MutatorMetrics
from controllers.podmutator.tls_policy import TlsPolicy
from framework.certificates.authority import Authority
from framework.clock import SystemClock
from framework.http.address import listen
from framework.runtime import ThreadRuntime
from framework.webhooks.metrics import WebhookMetrics

_REVIEWS, _CONTAINERS = 2_000, 100
_LIMIT_MILLISECONDS = 20.0


def _review() -> bytes:
    sizes = {"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": "250m", "memory": "128Mi"}}
    containers = [
        {
            "name": f"c{index}",
            "image": "registry.example.com/team/app:1.2.3",
            "env": [{"name": f"VARIABLE_{number}", "value": "value"} for number in range(10)],
            "resources": sizes,
        }
        for index in range(_CONTAINERS)
    ]
    pod = {"metadata": {"name": "p", "namespace": "n"}, "spec": {"runtimeClassName": "kata-remote"}}
    pod["spec"]["containers"] = containers  # type: ignore[assignment]
    kind = {"group": "", "version": "v1", "kind": "Pod"}
    request = {"uid": "u", "kind": kind, "operation": "CREATE", "object": pod}
    return msgspec.json.encode({"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request})


def _measure(name: str, act: Callable[[], object]) -> bool:
    """Whether it is fast enough for who waits. The time of the processor, without what others take, is shown too."""
    clock, elapsed, used = SystemClock(), [], []
    for _ in range(_REVIEWS):
        began, processor_began = clock.monotonic(), time.process_time()
        act()
        used.append((time.process_time() - processor_began) * 1000)
        elapsed.append((clock.monotonic() - began) * 1000)
    for what, milliseconds in (("elapsed", elapsed), ("processor", used)):
        print(f"{name}, {what}: median {statistics.median(milliseconds):.2f} ms, p99 {_p99(milliseconds):.2f} ms")
    return _p99(elapsed) < _LIMIT_MILLISECONDS


def _p99(milliseconds: Sequence[float]) -> float:
    return statistics.quantiles(milliseconds, n=100)[98]


def _over_tls(body: bytes) -> bool:
    clock, runtime, registry = SystemClock(), ThreadRuntime(), CollectorRegistry()
    authority = Authority.create(clock=clock)
    listening = listen("webhook", "127.0.0.1:0")
    server = MutatorServer(listening, MutatorOptions(), TlsPolicy(), clock=clock, runtime=runtime, registry=registry)
    server.certificate.offer(authority.issue_server(["127.0.0.1"]))
    server.start()
    context = ssl.create_default_context(cadata=authority.certificate.decode())
    with closing(http.client.HTTPSConnection("127.0.0.1", server.port, context=context)) as connection:

        def ask() -> None:
            connection.request("POST", PATH, body, {"Content-Type": "application/json"})
            connection.getresponse().read()

        is_fast = _measure("over TLS", ask)
    server.stop(1.0)
    return is_fast


def main() -> int:
    body = _review()
    registry = CollectorRegistry()
    hook, metrics = MutatorHook(PodMutator(), MutatorMetrics(registry)), WebhookMetrics(registry, SystemClock())
    are_fast = [_measure("the hook", lambda: hook.answer(body, metrics)), _over_tls(body)]
    return 0 if all(are_fast) else 1


if __name__ == "__main__":
    raise SystemExit(main())
