"""What the real server writes as protobuf is read as what it writes as JSON."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from framework.apiserver.builtin import BuiltinResource, builtin_resources
from framework.apiserver.protobuf import MEDIA_TYPE, decode_protobuf
from framework.apiserver.server import ADMIN, ApiServer
from framework.clock import SystemClock
from framework.http.exchange import ServerRequest
from framework.randomness import system_random
from framework.runtime import ThreadRuntime
from framework.testing.control_plane import ControlPlane
from framework.testing.control_plane.waiting import wait_until
from tests.conformance.api import MERGE, Api, Reply
from tests.conformance.programs.in_process import InProcessApi
from tests.conformance.protobuf.manifests import MANIFESTS, QUESTIONS, STATUSES

_RESOURCES = {(one.api_version, one.kind): one for one in builtin_resources()}
# Uids, and the times at which objects are created.
_UNLIKE = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}|20[2-9][5-9]-\d\d-\d\dT[0-9:]+Z")
_ACCOUNTS = "/api/v1/namespaces/default/serviceaccounts"


@pytest.fixture(scope="module")
def real(second_control_plane: ControlPlane) -> Iterator[Api]:
    """The one without controllers, which would change what is compared."""
    headers = {"Authorization": f"Bearer {second_control_plane.token}"}
    api = Api("real", second_control_plane.url, ca_file=second_control_plane.ca_file, headers=headers)
    _create_accounts(api)
    yield api
    api.close()


@pytest.fixture(scope="module")
def embedded() -> Iterator[InProcessApi]:
    server = ApiServer(clock=SystemClock(), runtime=ThreadRuntime(), random=system_random())
    api = InProcessApi(server)
    _create_accounts(api)
    yield api
    server.close()


def _create_accounts(api: Api | InProcessApi) -> None:
    for name in ("default", "builder"):
        assert api.request("POST", _ACCOUNTS, {"metadata": {"name": name}}).status in {201, 409}


@pytest.mark.parametrize("name", MANIFESTS)
def test_protobuf_is_read_as_the_same_object_as_json(real: Api, name: str) -> None:
    manifest = MANIFESTS[name]
    resource, path = _resource_of(manifest), _path_of(manifest)
    target = f"{path}/{manifest['metadata']['name']}"
    assert real.create(path, manifest).status == 201
    try:
        if name in STATUSES:
            assert real.patch(f"{target}/status", {"status": STATUSES[name]}, MERGE).status == 200

        expected, protobuf = _both(real, target, resource)

        assert protobuf == without_inner_types(expected)
    finally:
        real.delete(target, {"gracePeriodSeconds": 0, "propagationPolicy": "Background"})
        if manifest["kind"] == "CustomResourceDefinition":
            # It goes when its objects are gone, a moment later; another case makes one of the same name.
            assert wait_until(lambda: real.get(target).status == 404, limit_seconds=60)


@pytest.mark.parametrize("question", QUESTIONS.values(), ids=QUESTIONS)
def test_protobuf_of_an_answer_to_a_question_is_read_as_its_json(real: Api, question: Any) -> None:
    path = _path_of(question)
    before = _in_order(real.create(path, question).ok)

    protobuf = real.create(path, question, accept=MEDIA_TYPE).body

    # An answer may tell when it was given.
    after = _in_order(real.create(path, question).ok)
    answer = _in_order(_decoded(protobuf, question))
    asked, answered, asked_again = (_moment_taken_from(one) for one in (before, answer, after))
    assert answer == before
    assert asked <= answered <= asked_again


@pytest.mark.parametrize("name", MANIFESTS)
def test_an_object_sent_as_protobuf_is_stored_as_the_one_sent_as_json(
    real: Api, embedded: InProcessApi, name: str
) -> None:
    manifest, path = _renamed(MANIFESTS[name]), _path_of(MANIFESTS[name])
    once = {"dryRun": "All"}
    content = real.create(path, manifest, query=once, accept=MEDIA_TYPE).body
    document = _decoded(content, manifest)

    from_protobuf = embedded.request("POST", path, content, query=once, content_type=MEDIA_TYPE)
    from_json = embedded.request("POST", path, document, query=once)

    # Some name the uid of an object, or a port, that is not theirs, and are refused in the same words.
    assert (from_protobuf.status, masked(from_protobuf.body)) == (from_json.status, masked(from_json.body))


def test_custom_resources_do_not_come_as_protobuf() -> None:
    server = ApiServer(clock=SystemClock(), runtime=ThreadRuntime(), random=system_random())
    definition = MANIFESTS["widget-definition"]
    api = InProcessApi(server)
    api.request("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", definition)

    request = ServerRequest(
        "POST",
        f"/apis/{definition['spec']['group']}/v1/namespaces/default/widgets",
        {"content-type": MEDIA_TYPE},
        b"k8s\0",
        ADMIN,
    )

    assert server.handle(request).status == 415


def _both(api: Api, target: str, resource: BuiltinResource) -> tuple[Any, Any]:
    """The object as JSON and from protobuf, at the same version."""
    for _ in range(50):
        expected = api.get(target).ok
        reply: Reply = api.get(target, accept=MEDIA_TYPE)
        protobuf = decode_protobuf(reply.body, resource.schema)
        if protobuf["metadata"]["resourceVersion"] == expected["metadata"]["resourceVersion"]:
            return expected, protobuf
    raise AssertionError(f"{target} does not come to rest")


def without_inner_types(obj: Any) -> Any:
    """Protobuf has no place for apiVersion and kind inside an object; the claims of a StatefulSet have them in JSON."""
    for claim in (obj.get("spec") or {}).get("volumeClaimTemplates") or ():
        del claim["apiVersion"], claim["kind"]
    return obj


def _renamed(manifest: Any) -> Any:
    """Some objects of the same name may still be there."""
    if manifest["kind"] == "CustomResourceDefinition":
        return manifest
    return {**manifest, "metadata": {**manifest["metadata"], "name": f"{manifest['metadata']['name']}-2"}}


def _in_order(answer: Any) -> Any:
    """The rules of a user come in any order."""
    status = answer.get("status") or {}
    for name in ("resourceRules", "nonResourceRules"):
        if name in status:
            status[name].sort(key=str)
    return answer


def _moment_taken_from(answer: Any) -> str:
    moment: str = (answer.get("metadata") or {}).pop("creationTimestamp", None) or ""
    return moment


def masked(body: bytes) -> bytes:
    return _UNLIKE.sub(b"(masked)", body)


def _decoded(content: bytes, manifest: Any) -> Any:
    return decode_protobuf(content, _resource_of(manifest).schema)


def _resource_of(manifest: Any) -> BuiltinResource:
    return _RESOURCES[manifest["apiVersion"], manifest["kind"]]


def _path_of(manifest: Any) -> str:
    resource = _resource_of(manifest)
    prefix = f"/apis/{resource.group}" if resource.group else "/api"
    scope = "/namespaces/default" if resource.is_namespaced else ""
    return f"{prefix}/{resource.version}{scope}/{resource.plural}"
