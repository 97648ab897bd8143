"""One server during one program: sends its steps, and tells what came back in comparable form."""

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack
from typing import Any, Protocol

import msgspec

from tests.conformance.api import APPLY, JSON, JSON_PATCH, MERGE, STRATEGIC, Reply
from tests.conformance.programs.masking import Mask
from tests.conformance.programs.references import Seen
from tests.conformance.programs.step import Step
from tests.conformance.programs.subjects import Subject

END, LAST = "zz-end", "zz-last"
_METHODS = {"create": "POST", "put": "PUT", "patch": "PATCH", "delete": "DELETE", "delete-collection": "DELETE"}
_CONTENT_TYPES = {"json": JSON_PATCH, "merge": MERGE, "strategic": STRATEGIC, "apply": APPLY}
_OF_COLLECTION = frozenset({"create", "delete-collection", "list", "watch"})
_HTTP_OK, _HTTP_ERROR = 200, 300


class EventReader(Protocol):
    status: int

    def next(self) -> Any: ...


class Server(Protocol):
    @property
    def name(self) -> str: ...

    def request(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        query: Mapping[str, Any] | None = None,
        content_type: str = JSON,
        accept: str = JSON,
    ) -> Reply: ...

    def watch(
        self, path: str, query: Mapping[str, Any] | None = None, *, accept: str = JSON
    ) -> AbstractContextManager[EventReader]: ...


class Observation(msgspec.Struct, frozen=True):
    """An answer after masking."""

    status: int
    content_type: str = ""
    warnings: tuple[str, ...] = ()
    document: Any = None


class Side:
    def __init__(self, server: Server, subject: Subject, namespace: str, start: str) -> None:
        self._server = server
        self._subject = subject
        self._namespace = namespace
        self._mask = Mask()
        self._seen = Seen(start)
        self._watches: list[EventReader] = []
        self._open = ExitStack()

    def take(self, step: Step, number: int) -> Observation:
        query = {name: str(self._seen.resolve(value, step.name)) for name, value in step.query.items()}
        # A text that stands for nothing yet.
        query = {name: value for name, value in query.items() if value}
        if step.verb == "watch":
            return self._begin_watch(step, query)
        if "resourceVersion" in query:
            self._settle()
        reply = self._server.request(
            _METHODS.get(step.verb, "GET"),
            self._path(step),
            self._body(step, number),
            query=query,
            content_type=_CONTENT_TYPES.get(step.form, JSON),
            accept=_accept(step),
        )
        self._remember(step, query, reply)
        return self._observe(reply)

    def end_state(self) -> Observation:
        return self.take(Step("list"), 0)

    def write_markers(self) -> None:
        """End the reading of every watch: whatever its selector, it shows one of these."""
        for name, labels, color in ((END, {"app": "a"}, "blue"), (LAST, {}, "red")):
            content: dict[str, Any] = {"metadata": {"labels": labels}}
            if self._subject.kind == "Widget":
                content["spec"] = {"color": color}
            body = self._subject.body(name, content)
            reply = self._server.request("POST", self._subject.path(self._namespace), body)
            assert reply.status < _HTTP_ERROR, reply.body
            if not self._watches:
                return

    def events(self, live: EventReader, since: int) -> list[Any]:
        """What a watch of all objects of the kind, which began before the program, has shown of it."""
        return [self._mask.event(event) for event in self._until_marker(live) if self._is_ours(event, since)]

    def watched(self) -> list[list[Any]]:
        """The events of each watch that a step began."""
        return [[self._mask.event(event) for event in self._until_marker(watch)] for watch in self._watches]

    def close(self) -> None:
        self._open.close()

    def remove_all(self) -> None:
        """What is in no namespace would be in the lists of the next program."""
        path = self._subject.path(self._namespace)
        for obj in self._server.request("GET", path).document["items"]:
            name = obj["metadata"]["name"]
            if obj["metadata"].get("finalizers"):
                self._server.request("PATCH", f"{path}/{name}", {"metadata": {"finalizers": None}}, content_type=MERGE)
            self._server.request("DELETE", f"{path}/{name}")

    def _path(self, step: Step) -> str:
        name = "" if step.verb in _OF_COLLECTION else step.name
        return self._subject.path(self._namespace, name, step.subresource)

    def _body(self, step: Step, number: int) -> Any:
        body = self._seen.resolve(step.body, step.name)
        if step.verb in {"delete", "delete-collection"} or step.form in {"json", "merge", "strategic"}:
            # Without a body there would be no content type.
            return b"null" if body is None and step.verb == "patch" else body
        if not isinstance(body, dict):
            return body
        if step.subresource == "scale":
            return {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": step.name}, **body}
        if step.is_onto_seen and (seen := self._seen.object(step.name)) is not None:
            return _merged(seen, body)
        body = self._subject.body(step.name, body)
        if step.verb == "create" and "generateName" in body["metadata"]:
            # Unlike each other, so that the random part does not decide about the order in lists.
            body["metadata"]["generateName"] = f"gen-{number}-"
        return body

    def _begin_watch(self, step: Step, query: dict[str, str]) -> Observation:
        self._settle()
        opened = self._server.watch(self._path(step), query, accept=_accept(step))
        watch = self._open.enter_context(opened)
        if watch.status == _HTTP_OK:
            self._watches.append(watch)
            return Observation(watch.status)
        # What is wrong with it is told at once, whoever asks.
        return self._observe(
            self._server.request("GET", self._path(step), query={"watch": "true", **query}, accept=_accept(step))
        )

    def _settle(self) -> None:
        """A read that is content with an old version may get one on the real server, unless another has waited."""
        self._server.request("GET", self._path(Step("list")))

    def _remember(self, step: Step, query: Mapping[str, str], reply: Reply) -> None:
        if reply.status >= _HTTP_ERROR or query.get("dryRun") or step.view:
            return
        document = reply.document
        if step.verb == "list":
            self._seen.note_list(document["metadata"])
        elif document.get("kind") == self._subject.kind and step.verb != "delete-collection":
            self._seen.note_object(document["metadata"]["name"], document)

    def _observe(self, reply: Reply) -> Observation:
        content_type = reply.headers.get("content-type", "")
        try:
            document = self._mask.document(reply.document)
        except ValueError:
            document = reply.body.decode()
        warnings = tuple(sorted(self._mask.text(text) for text in reply.warnings))
        return Observation(reply.status, content_type, warnings, document)

    def _until_marker(self, watch: EventReader) -> Iterator[Any]:
        while (event := watch.next()) is not None:
            metadata = _metadata(event)
            if metadata.get("name") in {END, LAST} and self._is_here(metadata):
                return
            if event["type"] == "BOOKMARK" and "annotations" not in metadata:
                # These come with time, those with an annotation after the initial events.
                continue
            yield event
            if event["type"] == "ERROR":
                return

    def _is_here(self, metadata: Any) -> bool:
        return bool(metadata.get("namespace", self._namespace) == self._namespace)

    def _is_ours(self, event: Any, since: int) -> bool:
        metadata = event["object"]["metadata"]
        return self._is_here(metadata) and int(metadata["resourceVersion"]) > since


def _metadata(event: Any) -> Any:
    obj = event["object"]
    if obj.get("kind") == "Table":
        obj = obj["rows"][0].get("object") or {}
    return obj.get("metadata") or {}


def _accept(step: Step) -> str:
    if step.view == "table":
        return "application/json;as=Table;v=v1;g=meta.k8s.io"
    if step.view == "partial":
        kind = "PartialObjectMetadataList" if step.verb in {"list", "delete-collection"} else "PartialObjectMetadata"
        return f"application/json;as={kind};v=v1;g=meta.k8s.io"
    return JSON


def _merged(target: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = _merged(result.get(name), value)
    return result
