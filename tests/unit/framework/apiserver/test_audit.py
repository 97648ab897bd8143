"""The audit log of the embedded server."""

import json
from pathlib import Path
from typing import Any

from framework.apiserver.audit import AuditedHandler
from framework.apiserver.companions import essential
from framework.apiserver.embedded import EmbeddedOptions, EmbeddedServer
from framework.apiserver.server import ADMIN, ApiServer
from framework.client import connect, from_kubeconfig
from framework.clock import SystemClock
from framework.http.exchange import ServerRequest


def noted(log: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in log.read_text().splitlines()]


def test_each_request_is_noted_with_its_answer(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    handler = AuditedHandler(ApiServer(), log, SystemClock())

    for method, target in (
        ("GET", "/version"),
        ("GET", "/api/v1/namespaces/default/configmaps/none"),
        ("GET", "/api/v1/configmaps?limit=1"),
        ("DELETE", "/api/v1/namespaces/default/configmaps/none"),
        ("GET", "/api/v1//%zz"),
    ):
        handler.handle(ServerRequest(method, target, {"user-agent": "test"}, b"", ADMIN))
    handler.close()

    assert [(each["verb"], each["requestURI"], each["responseStatus"]["code"]) for each in noted(log)[:4]] == [
        ("get", "/version", 200),
        ("get", "/api/v1/namespaces/default/configmaps/none", 404),
        ("list", "/api/v1/configmaps?limit=1", 200),
        ("delete", "/api/v1/namespaces/default/configmaps/none", 404),
    ]
    assert len(noted(log)) == 5
    assert {each["userAgent"] for each in noted(log)} == {"test"}
    assert all(each["requestReceivedTimestamp"] <= each["stageTimestamp"] for each in noted(log))


def test_a_watch_is_noted_when_it_begins(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    handler = AuditedHandler(ApiServer(), log, SystemClock())

    answer = handler.handle(ServerRequest("GET", "/api/v1/configmaps?watch=true", {}, b"", ADMIN))

    assert answer.stream is not None
    answer.stream.close()
    handler.close()
    assert [(each["verb"], each["stage"]) for each in noted(log)] == [("watch", "ResponseStarted")]


def test_the_server_on_a_port_keeps_one_if_it_is_told_to(tmp_path: Path) -> None:
    log = tmp_path / "audit.log"
    with EmbeddedServer(tmp_path, options=EmbeddedOptions(controllers=essential, audit_log=log)) as server:
        client = connect(from_kubeconfig(str(server.kubeconfig), clock=SystemClock()))
        client.raw_get("/version")
        client.connection.close()

    assert [(each["verb"], each["requestURI"]) for each in noted(log)] == [("get", "/version")]
