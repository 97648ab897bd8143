"""What is not served is refused, and says how."""

from typing import Any

import msgspec
import pytest

from framework.apiserver.server import ADMIN, ApiServer
from framework.http.exchange import ServerRequest


@pytest.fixture(scope="module")
def server() -> ApiServer:
    return ApiServer()


def ask(server: ApiServer, method: str, target: str) -> tuple[int, Any]:
    answer = server.handle(ServerRequest(method, target, {}, b"", ADMIN))
    return answer.status, msgspec.json.decode(answer.body)


@pytest.mark.parametrize("subresource", ["exec", "attach", "log", "portforward", "proxy", "resize"])
def test_what_needs_a_kubelet_is_not_implemented(server: ApiServer, subresource: str) -> None:
    code, status = ask(server, "GET", f"/api/v1/namespaces/default/pods/one/{subresource}")

    what = f"the subresource '{subresource}' of pods"
    assert (code, status["reason"]) == (501, "NotImplemented")
    assert status["message"] == f"the embedded API server does not support {what}"


def test_discovery_does_not_tell_what_is_not_implemented(server: ApiServer) -> None:
    _, document = ask(server, "GET", "/api/v1")

    names = {resource["name"] for resource in document["resources"] if resource["name"].startswith("pods/")}
    assert names == {"pods/binding", "pods/eviction", "pods/status"}


def test_the_old_paths_of_watches_are_not_implemented(server: ApiServer) -> None:
    code, _ = ask(server, "GET", "/api/v1/watch/namespaces/default/pods")

    assert code == 501


def test_the_old_path_of_a_watch_of_nothing_is_not_found(server: ApiServer) -> None:
    code, _ = ask(server, "GET", "/api/v1/watch/namespaces/default/nothing")

    assert code == 404
