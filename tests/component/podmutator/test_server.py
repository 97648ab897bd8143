"""The stand-alone server: TLS from a folder, probes, limits."""

import http.client
import ssl
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Self

import msgspec
import pytest

from controllers.podmutator.server import ServeOptions, serve_webhook
from framework.certificates.authority import Authority
from framework.certificates.key_pair import KeyPair, KeyPairFiles
from framework.clock import SystemClock
from framework.errors import ConfigurationError
from framework.runtime import ThreadRuntime
from framework.testing.control_plane.waiting import wait_until
from tests.unit.controllers.podmutator.reviews import container, pod, review

_LIMIT_SECONDS = 60.0
_MOST_BODY = 3 * 1024 * 1024


class Served:
    """A server in this process, and what a client of it sees."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self._folder = folder
        self._environment = environment
        self._runtime = ThreadRuntime()
        self._stop = self._runtime.event()
        self._is_up = self._runtime.event()
        self._ports: Mapping[str, int] = {}
        self.authority = Authority.create(clock=SystemClock())
        self.exit_code: int | None = None

    def __enter__(self) -> Self:
        self._task = self._runtime.spawn("served", self._run)
        assert self._is_up.wait(_LIMIT_SECONDS)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._task.join(_LIMIT_SECONDS)

    def show(self, pair: KeyPair) -> None:
        KeyPairFiles(self._folder / "tls.crt", self._folder / "tls.key").write(pair)

    def connection(self) -> http.client.HTTPSConnection:
        context = ssl.create_default_context(cadata=self.authority.certificate.decode())
        return http.client.HTTPSConnection("localhost", self._ports["webhook"], context=context, timeout=_LIMIT_SECONDS)

    def post(
        self, body: bytes, path: str = "/mutate-v1-pod", content_type: str = "application/json"
    ) -> tuple[int, bytes]:
        with closing(self.connection()) as connection:
            return post(connection, body, path, content_type)

    def probe(self, path: str) -> tuple[int, str]:
        with closing(
            http.client.HTTPConnection("localhost", self._ports["health"], timeout=_LIMIT_SECONDS)
        ) as connection:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def _run(self) -> None:
        options = ServeOptions("127.0.0.1:0", "127.0.0.1:0", self._folder, poll_seconds=0.05)
        self.exit_code = serve_webhook(self._environment, self._stop, options, started=self._started)

    def _started(self, ports: Mapping[str, int]) -> None:
        self._ports = ports
        self._is_up.set()


def post(connection: http.client.HTTPSConnection, body: bytes, path: str, content_type: str) -> tuple[int, bytes]:
    connection.request("POST", f"{path}?timeout=10s", body, {"Content-Type": content_type})
    answer = connection.getresponse()
    return answer.status, answer.read()


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    with Served(tmp_path, {}) as started:
        yield started


_REVIEW = msgspec.json.encode(review(pod(container({"cpu": "1"}))))


def test_it_is_ready_only_with_a_certificate_and_alive_before(served: Served) -> None:
    assert served.probe("/healthz")[0] == 200
    assert served.probe("/readyz")[0] == 500

    served.show(served.authority.issue_server(["localhost"]))

    assert wait_until(lambda: served.probe("/readyz")[0] == 200, limit_seconds=_LIMIT_SECONDS)
    status, body = served.post(_REVIEW)
    assert status == 200
    assert msgspec.json.decode(body)["response"]["patchType"] == "JSONPatch"


@pytest.fixture
def ready(served: Served) -> Served:
    served.show(served.authority.issue_server(["localhost"]))
    assert wait_until(lambda: served.probe("/readyz")[0] == 200, limit_seconds=_LIMIT_SECONDS)
    return served


def test_another_certificate_is_shown_to_the_next_connection_and_open_ones_go_on(ready: Served) -> None:
    with closing(ready.connection()) as kept:
        assert post(kept, _REVIEW, "/mutate-v1-pod", "application/json")[0] == 200
        first = _serial(kept)

        ready.show(ready.authority.issue_server(["localhost"]))

        assert wait_until(lambda: _shown(ready) != first, limit_seconds=_LIMIT_SECONDS)
        assert post(kept, _REVIEW, "/mutate-v1-pod", "application/json")[0] == 200
        assert _serial(kept) == first


def test_a_pair_that_does_not_fit_is_not_shown(ready: Served) -> None:
    one, other = ready.authority.issue_server(["localhost"]), ready.authority.issue_server(["localhost"])
    shown = _shown(ready)
    before = _reads_that_failed(ready)

    ready.show(KeyPair(one.certificate, other.key))

    assert wait_until(lambda: _reads_that_failed(ready) > before, limit_seconds=_LIMIT_SECONDS)
    assert _shown(ready) == shown
    assert ready.probe("/readyz")[0] == 200


@pytest.mark.parametrize(
    ("body", "path", "content_type", "code"),
    [
        (b"{}", "/mutate-v1-pod", "application/json", 400),
        (b"no json", "/mutate-v1-pod", "application/json", 400),
        (b"", "/mutate-v1-pod", "application/json", 400),
        (b"[" * 200_000, "/mutate-v1-pod", "application/json", 400),
        (_REVIEW, "/mutate-v1-pod", "text/plain", 415),
        (_REVIEW, "/", "application/json", 404),
        (_REVIEW.ljust(_MOST_BODY + 1), "/mutate-v1-pod", "application/json", 413),
        (_REVIEW.ljust(_MOST_BODY), "/mutate-v1-pod", "application/json", 200),
    ],
)
def test_what_is_no_review_or_too_large_gets_a_status(
    ready: Served, body: bytes, path: str, content_type: str, code: int
) -> None:
    assert ready.post(body, path, content_type)[0] == code


def test_reviews_are_counted_by_their_result(ready: Served) -> None:
    ready.post(_REVIEW)
    ready.post(msgspec.json.encode(review(pod(container(), runtime_class="other"))))
    ready.post(msgspec.json.encode(review(pod(container({"cpu": "x"})))))
    ready.post(b"{}")

    _, text = ready.probe("/metrics")
    for result in ("mutated", "unchanged", "refused", "invalid"):
        assert f'peerpods_webhook_reviews_total{{result="{result}"}} 1.0' in text


def test_the_environment_says_which_pods_are_meant(tmp_path: Path) -> None:
    with Served(tmp_path, {"TARGET_RUNTIMECLASS": "other", "TLS_MIN_VERSION": "VersionTLS13"}) as served:
        served.show(served.authority.issue_server(["localhost"]))
        assert wait_until(lambda: served.probe("/readyz")[0] == 200, limit_seconds=_LIMIT_SECONDS)

        assert b"patch" not in served.post(_REVIEW)[1]
        assert b"patch" in served.post(msgspec.json.encode(review(pod(container(), runtime_class="other"))))[1]

    assert served.exit_code == 0


def test_a_policy_that_cannot_be_had_ends_it_before_it_listens(tmp_path: Path) -> None:
    stop = ThreadRuntime().event()

    with pytest.raises(ConfigurationError, match="VersionTLS11"):
        serve_webhook({"TLS_MIN_VERSION": "VersionTLS11"}, stop, ServeOptions(certificate_folder=tmp_path))


def _shown(served: Served) -> bytes:
    with closing(served.connection()) as connection:
        connection.connect()
        return _serial(connection)


def _serial(connection: http.client.HTTPSConnection) -> bytes:
    assert isinstance(connection.sock, ssl.SSLSocket)
    return connection.sock.getpeercert(binary_form=True) or b""


def _reads_that_failed(served: Served) -> float:
    lines = served.probe("/metrics")[1].splitlines()
    found = [line for line in lines if line.startswith("certwatcher_read_certificate_errors_total ")]
    return float(found[0].split()[1])
