"""What the client sends, seen at the transport; what servers make of it is in the integration tests."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from apis.core.v1 import ConfigMap, Pod
from apis.meta import GroupVersionKind, Key, ObjectMeta, ResourceType, Unstructured
from framework.client import Access, Client, HttpRequest, HttpResponse, Observer
from framework.client.client import PAGE_SIZE
from framework.errors import Expired, TerminalError

Failure = Callable[..., HttpResponse]
NAMED = HttpResponse(200, {}, b'{"metadata":{"name":"a","namespace":"n"}}')
WIDGETS = ResourceType(GroupVersionKind("example.com", "v1", "Widget"), "widgets")
KEY = Key("n", "a")


def page(*names: str, token: str = "") -> HttpResponse:
    items = [{"metadata": {"name": name}} for name in names]
    return HttpResponse(200, {}, msgspec.json.encode({"metadata": {"continue": token}, "items": items}))


def body_of(request: HttpRequest) -> Any:
    return msgspec.json.decode(request.body or b"null")


@pytest.mark.parametrize(
    "act",
    [
        lambda client: client.get(ConfigMap, Key("n", "")),
        lambda client: client.delete(ConfigMap, Key("n", "")),
        lambda client: client.merge_patch(ConfigMap, Key("n", ""), {}),
        lambda client: client.json_patch(ConfigMap, Key("n", ""), []),
        lambda client: client.scale(ConfigMap, Key("n", ""), 1),
        lambda client: client.apply(ConfigMap, {"metadata": {"namespace": "n"}}),
    ],
)
def test_an_object_without_a_name_is_never_the_whole_collection(
    setup: Any, scripted: Any, act: Callable[[Client], object]
) -> None:
    transport = scripted(NAMED)

    with pytest.raises(TerminalError, match="name"):
        act(Client(setup.connection(transport)))

    assert transport.requests == []


@pytest.mark.parametrize("key", [Key("n", "../../kube-system/secrets/x"), Key("../kube-system", "x"), Key("n", "..")])
def test_a_name_cannot_lead_to_another_object(setup: Any, scripted: Any, key: Key) -> None:
    transport = scripted(NAMED)

    with pytest.raises(TerminalError, match="cannot be the name"):
        Client(setup.connection(transport)).get(ConfigMap, key)

    assert transport.requests == []


def test_a_namespace_cannot_lead_a_list_elsewhere(setup: Any, scripted: Any) -> None:
    with pytest.raises(TerminalError, match="cannot be the name"):
        Client(setup.connection(scripted(page()))).list(ConfigMap, "../x")


def test_writes_are_made_in_the_name_of_the_field_manager(setup: Any, scripted: Any) -> None:
    transport = scripted(NAMED)
    client = Client(setup.connection(transport)).acting_as("windlass/tests")

    client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace="n")))
    client.merge_patch(ConfigMap, KEY, {})
    client.json_patch(ConfigMap, KEY, [])
    client.apply(ConfigMap, {"metadata": {"name": "a", "namespace": "n"}})

    assert [request.target.partition("?")[2] for request in transport.requests] == [
        "fieldManager=windlass%2Ftests",
        "fieldManager=windlass%2Ftests",
        "fieldManager=windlass%2Ftests",
        "fieldManager=windlass%2Ftests&force=true",
    ]


@pytest.mark.parametrize(
    ("act", "content_type"),
    [
        (lambda client: client.create(ConfigMap()), "application/json"),
        (lambda client: client.merge_patch(ConfigMap, KEY, {}), "application/merge-patch+json"),
        (lambda client: client.json_patch(ConfigMap, KEY, []), "application/json-patch+json"),
        (lambda client: client.apply(ConfigMap, {"metadata": {"name": "a"}}), "application/apply-patch+yaml"),
    ],
)
def test_each_write_has_its_content_type(
    setup: Any, scripted: Any, act: Callable[[Client], object], content_type: str
) -> None:
    transport = scripted(NAMED)

    act(Client(setup.connection(transport)))

    assert f"Content-Type: {content_type}" in transport.requests[0].headers


def test_conditions_of_a_merge_patch_go_beside_its_own_metadata(setup: Any, scripted: Any) -> None:
    transport = scripted(NAMED)

    Client(setup.connection(transport)).merge_patch(
        ConfigMap, KEY, {"metadata": {"labels": {"a": "b"}}, "data": {}}, resource_version="7", uid="u"
    )

    assert body_of(transport.requests[0]) == {
        "metadata": {"labels": {"a": "b"}, "resourceVersion": "7", "uid": "u"},
        "data": {},
    }


def test_a_status_is_patched_only_on_the_object_that_was_read(setup: Any, scripted: Any) -> None:
    transport = scripted(NAMED)
    pod = Pod(metadata=ObjectMeta(name="a", namespace="n", uid="u", resource_version="7"))

    Client(setup.connection(transport)).patch_status(pod, {"phase": "Failed"})

    assert transport.requests[0].target.startswith("/api/v1/namespaces/n/pods/a/status?")
    assert body_of(transport.requests[0]) == {
        "status": {"phase": "Failed"},
        "metadata": {"resourceVersion": "7", "uid": "u"},
    }


def test_untyped_objects_are_patched_by_their_resource_type(setup: Any, scripted: Any) -> None:
    transport = scripted(NAMED)
    widget = Unstructured(metadata=ObjectMeta(name="a", namespace="n", resource_version="7"))
    client = Client(setup.connection(transport))

    client.patch_status(widget, {"ready": True}, kind=WIDGETS)
    client.patch_spec(widget, {"size": 1}, kind=WIDGETS)

    paths = [request.target.partition("?")[0] for request in transport.requests]
    assert paths == [
        "/apis/example.com/v1/namespaces/n/widgets/a/status",
        "/apis/example.com/v1/namespaces/n/widgets/a",
    ]


def test_an_untyped_object_is_created_in_the_namespace_of_its_content(setup: Any, scripted: Any) -> None:
    transport = scripted(NAMED)
    widget = Unstructured(content={"metadata": {"name": "a", "namespace": "n"}, "spec": {"size": 1}})

    Client(setup.connection(transport)).create(widget, kind=WIDGETS)

    assert transport.requests[0].target.startswith("/apis/example.com/v1/namespaces/n/widgets?")
    assert body_of(transport.requests[0])["spec"] == {"size": 1}


def test_a_delete_carries_its_preconditions_and_nothing_else(setup: Any, scripted: Any) -> None:
    transport = scripted(NAMED)
    client = Client(setup.connection(transport))

    client.delete(ConfigMap, KEY)
    client.delete(ConfigMap, KEY, uid="u", resource_version="7", propagation="Foreground", grace_period_seconds=0)

    header = {"apiVersion": "meta.k8s.io/v1", "kind": "DeleteOptions"}
    assert [body_of(request) for request in transport.requests] == [
        header,
        header
        | {
            "preconditions": {"uid": "u", "resourceVersion": "7"},
            "propagationPolicy": "Foreground",
            "gracePeriodSeconds": 0,
        },
    ]


def test_a_list_follows_the_pages(setup: Any, scripted: Any) -> None:
    transport = scripted(page("a", token="next+1"), page("b"))

    listed = Client(setup.connection(transport)).list(ConfigMap, "n", labels="x=y", fields="metadata.name!=z")

    assert [each.metadata.name for each in listed] == ["a", "b"]
    assert [request.target.partition("?")[2] for request in transport.requests] == [
        f"limit={PAGE_SIZE}&labelSelector=x%3Dy&fieldSelector=metadata.name%21%3Dz",
        f"limit={PAGE_SIZE}&labelSelector=x%3Dy&fieldSelector=metadata.name%21%3Dz&continue=next%2B1",
    ]


def test_a_list_whose_snapshot_expired_starts_over_in_one_piece(setup: Any, scripted: Any, failure: Failure) -> None:
    transport = scripted(page("old", token="t"), failure(410, "Expired"), page("a", "b"))

    listed = Client(setup.connection(transport)).list(ConfigMap, "n", labels="x")

    assert [each.metadata.name for each in listed] == ["a", "b"]
    assert transport.requests[-1].target == "/api/v1/namespaces/n/configmaps?labelSelector=x"


def test_a_list_that_expires_in_one_piece_is_an_error(setup: Any, scripted: Any, failure: Failure) -> None:
    with pytest.raises(Expired):
        Client(setup.connection(scripted(failure(410, "Expired")))).list(ConfigMap)


class Witness(Observer):
    def __init__(self, transport: Any, *, refuses: bool = False) -> None:
        self.heard: list[Any] = []
        self._transport = transport
        self._refuses = refuses

    def sending(self, access: Access) -> None:
        self.heard.append((len(self._transport.requests), access))
        if self._refuses:
            raise TerminalError("no")

    def answered(self, access: Access, answer: bytes) -> None:
        self.heard.append((access.verb, answer))

    def failed(self, access: Access, error: Exception) -> None:
        self.heard.append((access.verb, type(error)))


def test_an_observer_hears_of_every_access_before_it_is_sent_and_of_its_answer(setup: Any, scripted: Any) -> None:
    transport = scripted(NAMED)
    witness = Witness(transport)
    client = Client(setup.connection(transport)).acting_as("windlass/x", witness)

    client.get(ConfigMap, KEY)
    client.scale(ConfigMap, KEY, 3)

    config_maps = client.codec_of(ConfigMap).resource_type
    assert witness.heard == [
        (0, Access("get", config_maps, "", "n", "a")),
        ("get", NAMED.body),
        (1, Access("patch", config_maps, "scale", "n", "a")),
        ("patch", NAMED.body),
    ]


def test_an_observer_hears_each_time_a_request_is_sent_again(setup: Any, scripted: Any, failure: Failure) -> None:
    transport = scripted(failure(429, "TooManyRequests"), NAMED)
    witness = Witness(transport)

    client = Client(setup.connection(transport)).acting_as("windlass/x", witness)
    setup.outcome_of(lambda: client.scale(ConfigMap, KEY, 3))
    setup.time.advance(1)

    assert [told for told, _ in witness.heard] == [0, 1, "patch"]


def test_what_an_observer_refuses_is_not_sent(setup: Any, scripted: Any) -> None:
    transport = scripted(NAMED)
    witness = Witness(transport, refuses=True)

    with pytest.raises(TerminalError):
        Client(setup.connection(transport)).acting_as("windlass/x", witness).scale(ConfigMap, KEY, 3)

    assert transport.requests == []
    assert witness.heard[-1] == ("patch", TerminalError)


def test_observers_add_up(setup: Any, scripted: Any) -> None:
    transport = scripted(NAMED)
    first, second = Witness(transport), Witness(transport)

    Client(setup.connection(transport)).acting_as("a", first).acting_as("b", second).get(ConfigMap, KEY)

    assert first.heard == second.heard != []
