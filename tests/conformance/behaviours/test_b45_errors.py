"""Every refusal is a Status; several reasons share a code."""

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B45")


def test_a_refusal_is_a_whole_status(api: Api, namespace: str) -> None:
    reply = api.get(widgets(namespace, "one"))

    assert reply.headers["content-type"] == "application/json"
    assert reply.document == {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": 'widgets.conformance.windlass.dev "one" not found',
        "reason": "NotFound",
        "details": {"name": "one", "group": "conformance.windlass.dev", "kind": "widgets"},
        "code": 404,
    }


def test_two_reasons_for_conflict(api: Api, namespace: str) -> None:
    obj = api.create(widgets(namespace), widget()).ok
    api.patch(widgets(namespace, "one"), {"spec": {"size": 1}})

    twice = api.create(widgets(namespace), widget())
    stale = api.put(widgets(namespace, "one"), obj)

    assert [(reply.status, reply.reason) for reply in (twice, stale)] == [(409, "AlreadyExists"), (409, "Conflict")]


def test_a_version_that_is_gone_is_expired(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())
    api.compact()

    reply = api.get(widgets(namespace), query={"resourceVersion": 2, "resourceVersionMatch": "Exact"})

    assert (reply.status, reply.reason) == (410, "Expired")


def test_a_path_that_is_not_served_is_answered_in_plain_text(api: Api) -> None:
    group = "/apis/conformance.windlass.dev"
    for path in (
        "/nonsense",
        "//api/v1/pods",
        "/apis/nonsense.example.com/v1/things",
        f"{group}/v9/widgets",
        f"{group}/v1/nonsense",
        f"{group}/v1/widgets/one",
        f"{group}/v1/namespaces/default/gadgets",
    ):
        reply = api.get(path)

        assert (reply.status, reply.body) == (404, b"404 page not found\n")
        assert reply.headers["content-type"] == "text/plain; charset=utf-8"
        assert reply.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("PUT", config_maps("default")),
        ("PATCH", config_maps("default")),
        ("POST", config_maps("default", "one")),
        ("POST", "/api/v1/configmaps"),
        ("DELETE", "/api/v1/namespaces"),
        ("DELETE", "/apis/apps/v1/namespaces/default/deployments/one/status"),
        ("GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"),
    ],
)
def test_a_method_that_does_not_fit_the_path_is_not_allowed(api: Api, method: str, path: str) -> None:
    reply = api.request(method, path, {}, content_type="application/merge-patch+json")

    why = "the server does not allow this method on the requested resource"
    assert reply.error == (405, "MethodNotAllowed", why)


def test_custom_resources_refuse_methods_in_words_of_their_own(api: Api) -> None:
    deletion = api.delete(widgets("default", "one", "status"))
    update = api.put(widgets("default"), widget())

    why = 'delete is not supported on resources of kind "widgets.conformance.windlass.dev"'
    assert deletion.error == (405, "MethodNotAllowed", why)
    assert update.error == (400, "BadRequest", "name must be provided")


@pytest.mark.parametrize(
    "path",
    [
        "/api/v1/configmaps/one",
        "/api/v1/namespaces/default/nodes",
        "/api/v1/namespaces/default/configmaps/one/nonsense",
        "/api//v1/namespaces",
        "/apis/apps/v9/deployments",
        "/apis/apps/v1/nonsense",
    ],
)
def test_a_path_among_those_of_built_in_kinds_is_not_found_by_a_status(api: Api, path: str) -> None:
    reply = api.get(path)

    assert reply.error == (404, "NotFound", "the server could not find the requested resource")
    assert reply.document["details"] == {}


@pytest.mark.parametrize("collection", [widgets("default"), config_maps("default")])
@pytest.mark.parametrize("body", [b"{nope", b"", b"[]"], ids=["syntax", "empty", "list"])
def test_a_body_that_cannot_be_read_is_a_bad_request(api: Api, collection: str, body: bytes) -> None:
    reply = api.create(collection, body)

    kind = "Widget" if "widgets" in collection else "ConfigMap"
    assert (reply.status, reply.reason) == (400, "BadRequest")
    assert reply.message.startswith(
        f"the object provided is unrecognized (must be of type {kind}): couldn't get version/kind; json parse error: "
    )


def test_an_unknown_format_is_unsupported(api: Api, namespace: str) -> None:
    reply = api.create(widgets(namespace), b"x", content_type="application/xml")

    accepted = "application/json, application/yaml"
    assert (reply.status, reply.reason) == (415, "UnsupportedMediaType")
    assert reply.message.startswith(
        f"the body of the request was in an unknown format - accepted media types include: {accepted}"
    )


def test_yaml_is_a_known_format(api: Api, namespace: str) -> None:
    text = b"apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: one\ndata:\n  a: b\n"

    assert api.create(config_maps(namespace), text, content_type="application/yaml").ok["data"] == {"a": "b"}


def test_a_custom_resource_says_which_kind_it_is(api: Api, namespace: str) -> None:
    reply = api.create(widgets(namespace), {"metadata": {"name": "one"}})

    assert (reply.status, reply.reason) == (400, "BadRequest")
    assert """Object 'Kind' is missing in '{"metadata": {"name": "one"}}'""" in reply.message


@pytest.mark.parametrize("version", ["conformance.windlass.dev/v2", ""])
def test_a_custom_resource_is_of_the_version_of_the_path(api: Api, namespace: str, version: str) -> None:
    reply = api.create(widgets(namespace), {**widget(), "apiVersion": version})

    expected = "does not match the expected API version (conformance.windlass.dev/v1)"
    assert reply.error == (400, "BadRequest", f"the API version in the data ({version}) {expected}")


def test_another_kind_of_custom_resource_is_invalid(api: Api, namespace: str) -> None:
    reply = api.create(widgets(namespace), {**widget(), "kind": "Gadget"})

    why = 'kind: Invalid value: "Gadget": must be Widget'
    assert reply.error == (422, "Invalid", f'Gadget.conformance.windlass.dev "one" is invalid: {why}')


def test_another_kind_of_built_in_object_is_a_bad_request(api: Api, namespace: str) -> None:
    reply = api.create(config_maps(namespace), {**config_map(), "apiVersion": "v2"})

    assert (reply.status, reply.reason) == (400, "BadRequest")
    assert reply.message.startswith('ConfigMap in version "v2" cannot be handled as a ConfigMap: ')


def test_answers_are_not_to_be_cached(api: Api, namespace: str) -> None:
    for reply in (api.get(config_maps(namespace)), api.get(config_maps(namespace, "nothing"))):
        assert reply.headers["cache-control"] == "no-cache, private"
