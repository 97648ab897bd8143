from collections.abc import Mapping

import msgspec
import pytest

from framework.apiserver.discovery import DiscoveryDocuments, DiscoveryEndpoints, HealthCheck, HealthChecks
from framework.errors import ApiError
from framework.http.exchange import Answer, ServerRequest
from tests.unit.framework.apiserver.resources import builtin

AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
BETA = "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList"


def asked(target: str, headers: Mapping[str, str] | None = None, health: HealthChecks | None = None) -> Answer | None:
    documents = DiscoveryDocuments(builtin())
    endpoints = DiscoveryEndpoints(lambda: documents, health or HealthChecks())
    return endpoints.answer(ServerRequest("GET", target, headers or {}))


def answered(target: str, headers: Mapping[str, str] | None = None, health: HealthChecks | None = None) -> Answer:
    answer = asked(target, headers, health)
    assert answer is not None
    return answer


@pytest.mark.parametrize("path", ["/api", "/api/", "/apis", "/apis/apps", "/apis/apps/v1", "/api/v1", "/version", "/"])
def test_documents_are_json(path: str) -> None:
    answer = answered(path)

    assert answer.status == 200
    assert answer.headers["Content-Type"] == "application/json"
    assert msgspec.json.decode(answer.body)


@pytest.mark.parametrize("path", ["/apis/none", "/apis/apps/v9", "/api/v9", "/none", "/livez/none", "/apis/a/b/c"])
def test_other_paths_are_left_to_others(path: str) -> None:
    assert asked(path) is None


@pytest.mark.parametrize("path", ["/api", "/apis"])
def test_clients_get_aggregated_discovery_if_they_ask_for_it(path: str) -> None:
    answer = answered(path, {"accept": f"{AGGREGATED},{BETA},application/json"})

    assert answer.headers["Content-Type"] == AGGREGATED
    assert answer.headers["Vary"] == "Accept"
    assert msgspec.json.decode(answer.body)["kind"] == "APIGroupDiscoveryList"


def test_clients_that_only_know_the_old_aggregated_discovery_get_the_list() -> None:
    answer = answered("/apis", {"accept": f"{BETA},application/json"})

    assert msgspec.json.decode(answer.body)["kind"] == "APIGroupList"


def test_a_document_that_the_client_has_is_not_sent_again() -> None:
    first = answered("/apis", {"accept": AGGREGATED})

    second = answered("/apis", {"accept": AGGREGATED, "if-none-match": first.headers["ETag"]})

    assert (second.status, second.body) == (304, b"")


@pytest.mark.parametrize(
    ("path", "accept"), [("/apis", BETA), ("/apis", "text/html"), ("/api/v1", AGGREGATED), ("/apis/apps", "image/*")]
)
def test_what_cannot_be_served_is_not_acceptable(path: str, accept: str) -> None:
    with pytest.raises(ApiError) as refusal:
        asked(path, {"accept": accept})

    assert refusal.value.code == 406
    assert refusal.value.status.message == "only the following media types are accepted: application/json"


@pytest.mark.parametrize("path", ["/api", "/api/v1", "/apis/apps/v1", "/version"])
def test_documents_cannot_be_written(path: str) -> None:
    documents = DiscoveryDocuments(builtin())
    endpoints = DiscoveryEndpoints(lambda: documents, HealthChecks())

    with pytest.raises(ApiError) as refusal:
        endpoints.answer(ServerRequest("POST", path, {}))

    assert refusal.value.code == 405
    assert refusal.value.status.message == "the server does not allow this method on the requested resource"


def test_the_version_is_one_that_clients_compare_as_a_kubernetes_version() -> None:
    version = msgspec.json.decode(answered("/version").body)

    assert (version["major"], version["minor"], version["gitVersion"]) == ("1", "36", "v1.36.3+windlass")


def test_the_root_lists_the_paths() -> None:
    paths = msgspec.json.decode(answered("/").body)["paths"]

    assert paths == sorted(paths)
    assert {"/api/v1", "/apis/apps/v1", "/livez/ping", "/openapi/v3", "/version"} <= set(paths)


@pytest.mark.parametrize("path", ["/healthz", "/livez", "/readyz", "/livez/ping"])
def test_a_healthy_server_says_ok(path: str) -> None:
    assert (answered(path).status, answered(path).body) == (200, b"ok")


def test_details_of_health_are_told_on_request() -> None:
    health = HealthChecks(live=[HealthCheck("storage", lambda: True)])

    answer = answered("/livez?verbose&exclude=storage&exclude=none", health=health)

    assert answer.body.decode() == (
        "[+]ping ok\n"
        "[+]storage excluded: ok\n"
        'warn: some health checks cannot be excluded: no matches for "none"\n'
        "livez check passed\n"
    )


def test_a_server_that_is_not_ready_says_what_fails() -> None:
    health = HealthChecks(ready=[HealthCheck("storage", lambda: False)])

    answer = answered("/readyz", health=health)

    assert answer.status == 500
    assert answer.body == b"[+]ping ok\n[-]storage failed: reason withheld\nreadyz check failed\n"
    assert answered("/livez", health=health).status == 200
