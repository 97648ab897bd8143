"""Each refusal of the real server, and what stands between us and it, as the exception that fits."""

from collections.abc import Callable

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import GroupVersionKind, Key, ObjectMeta, ResourceType, Unstructured
from framework.client import Call, Client
from framework.errors import (
    AlreadyExists,
    ApiError,
    BadRequest,
    Conflict,
    Expired,
    Forbidden,
    Invalid,
    MethodNotAllowed,
    NotFound,
    RequestEntityTooLarge,
    ServerError,
    TooLargeResourceVersion,
    TransportError,
    Unauthorized,
    UnsupportedMediaType,
)
from framework.testing.control_plane import ControlPlane
from framework.testing.relay import Fault, Match, Relay, Respond, expired

NAMESPACES = ResourceType(GroupVersionKind("", "v1", "Namespace"), "namespaces", "Cluster")


def error_of(act: Callable[[], object]) -> ApiError:
    with pytest.raises(ApiError) as raised:
        act()
    assert "\n" not in str(raised.value)
    assert str(raised.value)
    return raised.value


def test_400_for_a_malformed_selector(client: Client) -> None:
    error = error_of(lambda: client.list(ConfigMap, "default", labels="a=(b"))

    assert (type(error), error.code, error.reason) == (BadRequest, 400, "BadRequest")


def test_401_for_a_wrong_token(control_plane: ControlPlane, connect_to: Callable[..., Client]) -> None:
    client = connect_to(control_plane.kubeconfig_for("x", token="wrong"))

    error = error_of(lambda: client.raw_get("/api"))

    assert (type(error), error.code, error.reason) == (Unauthorized, 401, "Unauthorized")


def test_403_for_a_right_that_is_missing(control_plane: ControlPlane, connect_to: Callable[..., Client]) -> None:
    client = connect_to(control_plane.kubeconfig_for("nobody"))

    error = error_of(lambda: client.get(ConfigMap, Key("default", "a")))

    assert (type(error), error.code, error.reason, error.details.name) == (Forbidden, 403, "Forbidden", "a")


@pytest.mark.parametrize("resource", ["configmaps", "nothings"])
def test_404_for_an_object_and_for_a_resource(client: Client, resource: str) -> None:
    error = error_of(lambda: client.raw_get(f"/api/v1/namespaces/default/{resource}/absent"))

    assert (type(error), error.code, error.reason) == (NotFound, 404, "NotFound")


def test_405_for_a_verb_that_the_resource_does_not_have(client: Client) -> None:
    error = error_of(lambda: client.delete_collection(NAMESPACES))

    assert (type(error), error.code, error.reason) == (MethodNotAllowed, 405, "MethodNotAllowed")


def test_409_of_both_kinds(client: Client, config_map: ConfigMap) -> None:
    exists = error_of(
        lambda: client.create(ConfigMap(metadata=ObjectMeta(name="subject", namespace=config_map.key[0])))
    )
    changed = error_of(lambda: client.merge_patch(ConfigMap, config_map.key, {}, resource_version="1"))

    assert (type(exists), exists.code, exists.reason) == (AlreadyExists, 409, "AlreadyExists")
    assert (type(changed), changed.code, changed.reason) == (Conflict, 409, "Conflict")


def test_410_for_a_version_that_is_gone(relayed: Client, relay: Relay) -> None:
    relay.inject(Fault(Match(method="GET"), expired()))

    error = error_of(lambda: relayed.list_page(ConfigMap, "default", {}))

    assert (type(error), error.code, error.reason) == (Expired, 410, "Expired")


def test_400_for_a_continue_token_that_is_none_of_the_server(client: Client) -> None:
    error = error_of(lambda: client.list_page(ConfigMap, "default", {"continue": "nonsense", "limit": "1"}))

    assert type(error) is BadRequest


def test_413_for_an_object_that_is_too_large(client: Client, namespace: str) -> None:
    large = ConfigMap(metadata=ObjectMeta(name="a", namespace=namespace), data={"k": "x" * 4_000_000})

    error = error_of(lambda: client.create(large))

    assert (type(error), error.code, error.reason) == (RequestEntityTooLarge, 413, "RequestEntityTooLarge")


def test_415_for_a_content_type_that_nobody_knows(client: Client, config_map: ConfigMap) -> None:
    path = f"/api/v1/namespaces/{config_map.metadata.namespace}/configmaps/subject"
    call = Call("patch", "PATCH", path, body=b"{}", content_type="text/plain")

    error = error_of(lambda: client.connection.send(call))

    assert (type(error), error.code, error.reason) == (UnsupportedMediaType, 415, "UnsupportedMediaType")


def test_422_names_the_field(client: Client, namespace: str) -> None:
    error = error_of(lambda: client.create(ConfigMap(metadata=ObjectMeta(name="Not Valid", namespace=namespace))))

    assert (type(error), error.code, error.reason) == (Invalid, 422, "Invalid")
    assert [cause.field for cause in error.causes] == ["metadata.name"]


def test_403_in_a_namespace_that_goes_away_tells_its_cause(client: Client) -> None:
    name = "windlass-going-away"
    content = {"metadata": {"name": name, "finalizers": []}, "spec": {"finalizers": ["example.com/hold"]}}
    client.create(Unstructured(content=content), kind=NAMESPACES)
    client.delete(NAMESPACES, Key("", name))

    try:
        error = error_of(lambda: client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace=name))))
    finally:
        release = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}, "spec": {"finalizers": []}}
        path = f"/api/v1/namespaces/{name}/finalize"
        client.connection.send(Call("update", "PUT", path, body=str(release).replace("'", '"').encode()))

    assert type(error) is Forbidden
    assert error.has_cause("NamespaceTerminating")


def test_504_for_a_version_from_the_future(client: Client) -> None:
    query = {"resourceVersion": "999999999999", "resourceVersionMatch": "NotOlderThan"}

    error = error_of(lambda: client.list_page(ConfigMap, "default", query))

    assert (type(error), error.code, error.reason) == (TooLargeResourceVersion, 504, "Timeout")
    assert error.retry_after_seconds == 1.0


@pytest.mark.parametrize(
    ("body", "text"),
    [(b"<html>\n<b>Bad Gateway</b>", "HTTP 502: <html> <b>Bad Gateway</b>"), (b"", "HTTP 502 with an empty body")],
)
def test_502_of_a_load_balancer_is_one_line(
    relayed: Client, relay: Relay, config_map: ConfigMap, body: bytes, text: str
) -> None:
    answer = Respond(502, body=body, headers={"Content-Type": "text/html"})
    relay.inject(Fault(Match(method="PATCH"), answer))

    error = error_of(lambda: relayed.merge_patch(ConfigMap, config_map.key, {}))

    assert (type(error), error.code, str(error)) == (ServerError, 502, text)


def test_200_of_somebody_who_is_no_api_server_is_no_answer(
    relayed: Client, relay: Relay, config_map: ConfigMap
) -> None:
    relay.inject(Fault(Match(method="GET"), Respond(200, body=b"<html>please log in"), times=None))

    with pytest.raises(TransportError, match="unreadable answer for configmaps"):
        relayed.get(ConfigMap, config_map.key)


def test_a_redirect_is_not_followed(relayed: Client, relay: Relay) -> None:
    relay.inject(Fault(Match(), Respond(302, headers={"Location": f"{relay.url}/stolen"})))

    error = error_of(lambda: relayed.raw_get("/version"))

    assert error.code == 302
    assert [request.path for request in relay.requests] == ["/version"]
