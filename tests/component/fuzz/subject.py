"""A server that is asked anything, and may neither fail nor lose its order."""

import json
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest

from apis.meta import Key
from framework.apiserver import server as server_module
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.resource import Resource
from framework.apiserver.server import ADMIN, ApiServer
from framework.http.exchange import Answer, EventStream, ServerRequest
from framework.randomness import system_random
from tests.component.fuzz.single_thread import JumpingClock, SingleThreadRuntime

LEGAL = {200, 201, 202, 400, 401, 403, 404, 405, 406, 409, 410, 413, 415, 422, 501, 504}
# Failures with a reason that the real server finds in requests too.
_NO_BUGS = (
    "resourceVersion should not be set on objects to be created",
    "Object 'apiVersion' is missing",
    "the spec replicas field",
)
_EVENTS = {"ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR"}


class Reply(NamedTuple):
    """A whole answer, or the events that a watch has at once."""

    status: int
    body: bytes
    events: list[Any]


class Subject:
    def __init__(self) -> None:
        clock = JumpingClock()
        self.server = ApiServer(clock=clock, runtime=SingleThreadRuntime(clock), random=system_random())
        self.start = self.server.storage.revision
        self._before = self._everything()

    def ask(self, request: ServerRequest) -> Reply:
        """The answer, which must be a legal one."""
        answer = self.server.handle(request)
        if answer.stream is None:
            _check_whole(answer)
        return Reply(answer.status, answer.body, _events(answer.stream))

    def request(
        self,
        method: str,
        target: str,
        body: Any = None,
        *,
        content_type: str = "application/json",
        accept: str = "application/json",
    ) -> Reply:
        content = b"" if body is None else json.dumps(body).encode()
        headers = {"content-type": content_type, "accept": accept}
        return self.ask(ServerRequest(method, target, headers, content, ADMIN))

    def get(self, target: str) -> Any:
        reply = self.request("GET", target)
        assert reply.status == 200
        return json.loads(reply.body)

    def path_of(self, obj: Object) -> str:
        """Where objects like *obj* are created."""
        for one in self.server.registry.all():
            if (one.api_version, one.kind) == (obj["apiVersion"], obj["kind"]):
                return collection(one, "default" if one.is_namespaced else "")
        raise AssertionError(f"{obj['kind']} is not served")

    def live(self, kinds: Collection[tuple[str, str]]) -> list[Object]:
        """What is stored of *kinds*, each an apiVersion and a kind."""
        storages = {one.storage for one in self._stored() if (one.api_version, one.kind) in kinds}
        return [obj for storage in storages for obj in self.server.storage.list(storage)]

    def check(self) -> None:
        """Everything that must be true of a server at any time."""
        seen: set[int] = set()
        for resource in self._stored():
            self._check_table(resource, seen)
            self._check_replay(resource)

    def _check_table(self, resource: Resource, seen: set[int]) -> None:
        storage = self.server.storage
        records = list(storage.table(resource.storage).records())
        for record in records:
            assert record.revision <= storage.revision
            assert record.revision not in seen
            seen.add(record.revision)
            _check_object(resource, record.key, record.revision, record.decode())
        listed = self._list(resource)
        assert len(listed) == len(records)

    def _check_replay(self, resource: Resource) -> None:
        """Who watches from the start arrives at what there is now."""
        state = {key: obj for (storage, key), obj in self._before.items() if storage == resource.storage}
        reply = self.request("GET", f"{collection(resource)}?watch=true&resourceVersion={self.start}")
        last = self.start
        for event in reply.events:
            metadata = event["object"]["metadata"]
            key = Key(metadata.get("namespace", ""), metadata["name"])
            assert (key in state) == (event["type"] != "ADDED"), event
            assert int(metadata["resourceVersion"]) > last
            last = int(metadata["resourceVersion"])
            if event["type"] == "DELETED":
                del state[key]
            else:
                state[key] = event["object"]
        assert state == self._list(resource)

    def _list(self, resource: Resource) -> dict[Key, Object]:
        document = json.loads(self.request("GET", collection(resource)).body)
        objects = {}
        for item in document["items"]:
            item.setdefault("apiVersion", resource.api_version)
            item.setdefault("kind", resource.kind)
            objects[Key(item["metadata"].get("namespace", ""), item["metadata"]["name"])] = item
        return objects

    def _stored(self) -> list[Resource]:
        """Every resource once, in the version in which it is kept."""
        return [
            one
            for one in self.server.registry.all()
            if one.verbs != ("create",) and one.api_version == one.storage_api_version
        ]

    def _everything(self) -> dict[tuple[GroupResource, Key], Object]:
        return {
            (resource.storage, record.key): record.decode()
            for resource in self._stored()
            for record in self.server.storage.table(resource.storage).records()
        }


def collection(resource: Resource, namespace: str = "") -> str:
    prefix = f"/apis/{resource.group}" if resource.group else "/api"
    scope = f"/namespaces/{namespace}" if namespace else ""
    return f"{prefix}/{resource.version}{scope}/{resource.plural}"


def _check_object(resource: Resource, key: Key, revision: int, obj: Object) -> None:
    metadata = obj["metadata"]
    assert (obj["apiVersion"], obj["kind"]) == (resource.storage_api_version, resource.kind)
    assert metadata["name"] == key.name
    assert metadata.get("namespace", "") == key.namespace
    assert bool(key.namespace) == resource.is_namespaced
    assert metadata["resourceVersion"] == str(revision)
    assert metadata["uid"]
    assert metadata["creationTimestamp"]


def _check_whole(answer: Answer) -> None:
    if answer.status < 400 or answer.headers.get("Content-Type") != "application/json":
        assert answer.status in LEGAL
        return
    document = json.loads(answer.body)
    assert (document["kind"], document["status"], document["code"]) == ("Status", "Failure", answer.status)
    assert answer.status in LEGAL or _is_legal_failure(document), document


def _is_legal_failure(status: Any) -> bool:
    """Patches for which the real server has a code of its own for no error pass on the words of its libraries."""
    return status["code"] == 500 and ("reason" not in status or any(text in status["message"] for text in _NO_BUGS))


def _events(stream: EventStream | None) -> list[Any]:
    if stream is None:
        return []
    chunks = []
    while chunk := stream.read():
        chunks.append(chunk)
    stream.close()
    events = [json.loads(line) for line in b"".join(chunks).splitlines()]
    assert all(event["type"] in _EVENTS for event in events)
    return events


@contextmanager
def failing_loudly() -> Iterator[None]:
    """What the server would only log, the test gets to see."""

    def fail(_what: str, error: BaseException | None, **context: object) -> None:
        assert error is not None
        error.add_note(f"{context}")
        raise error

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(server_module, "report_bug", fail)
        yield
