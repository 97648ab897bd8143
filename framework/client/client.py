"""Typed reads and writes. Writes are creates, patches and deletes; nothing decoded is ever put back as a whole."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Literal, TypeVar

import msgspec

from apis.meta import Key, KubeObject, ResourceType, resource_type_of
from framework.client.call import DEFAULT_TIMEOUTS, Call, path_segment
from framework.client.cancellation import Cancellation
from framework.client.codec import Codec, Codecs, ObjectList, decode_list
from framework.client.observer import Access, Observer
from framework.client.sender import Sender
from framework.client.transport import Timeouts
from framework.errors import Conflict, Expired, Invalid, TerminalError

T = TypeVar("T", bound=KubeObject)
Kind = type[T] | ResourceType
Propagation = Literal["Background", "Foreground", "Orphan"]

PAGE_SIZE = 500
METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
METADATA_OBJECT = "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"
_LIST_TIMEOUTS = Timeouts(total_seconds=120.0)
_CONTENT_TYPES = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "apply": "application/apply-patch+yaml",
}


class Client:
    """Reads and writes objects of one cluster in the name of one field manager."""

    def __init__(
        self, connection: Sender, *, field_manager: str = "windlass", observers: tuple[Observer, ...] = ()
    ) -> None:
        self._connection = connection
        self._field_manager = field_manager
        self._write_query = {"fieldManager": field_manager}
        self._observers = observers
        self._codecs = Codecs()

    def acting_as(self, field_manager: str, *observers: Observer) -> "Client":
        """The same connection in another name, with *observers* beside those of this client."""
        return Client(self._connection, field_manager=field_manager, observers=(*self._observers, *observers))

    def observed_by(self, *observers: Observer) -> "Client":
        """The same client, with *observers* beside its own."""
        return self.acting_as(self._field_manager, *observers)

    @property
    def field_manager(self) -> str:
        """In whose name this client writes."""
        return self._field_manager

    @property
    def connection(self) -> Sender:
        return self._connection

    def codec_of(self, kind: Kind[T]) -> Codec[T]:
        return self._codecs.of(kind)

    def get(self, kind: Kind[T], key: Key, *, subresource: str = "") -> T:
        return self._codecs.of(kind).decode_answer(self._send("get", "GET", kind, _named(key), subresource))

    def list(self, kind: Kind[T], namespace: str = "", *, labels: str = "", fields: str = "") -> list[T]:
        """All objects that match, from one snapshot, read page by page while the server keeps it."""
        codec = self._codecs.of(kind)
        selectors = _selectors(labels, fields)
        try:
            return [codec.decode_answer(raw) for page in self._pages(kind, namespace, selectors) for raw in page]
        except Expired:
            # The snapshot went away between two pages; in one piece it cannot.
            return [codec.decode_answer(raw) for raw in self.list_page(kind, namespace, selectors).items or ()]

    def create(self, obj: T, *, kind: Kind[T] | None = None) -> T:
        """Create *obj*; an Unstructured needs its *kind*."""
        codec = self._codecs.of(kind or type(obj))
        manifest = codec.manifest(obj)
        metadata = manifest.get("metadata", {})
        answer = self._send(
            "create",
            "POST",
            codec.resource_type,
            Key(metadata.get("namespace", ""), ""),
            query=self._write_query,
            body=msgspec.json.encode(manifest),
            made_name=metadata.get("name", ""),
        )
        return codec.decode_answer(answer)

    def apply(self, kind: Kind[T], desired: T | Mapping[str, Any], *, force: bool = True, subresource: str = "") -> T:
        """Server-side apply of the fields in *desired*; fields applied before and missing now are given up.

        A typed object leaves out the fields that have their default; to own
        such a field, say it in a dict.
        """
        codec = self._codecs.of(kind)
        manifest = codec.manifest(desired)
        key = _key_of(manifest)
        query = {"fieldManager": self._field_manager, "force": "true" if force else "false"}
        condition = manifest["metadata"].get("resourceVersion", "")
        body = self._patch("apply", kind, key, codec.encode(manifest), condition, subresource=subresource, query=query)
        return codec.decode_answer(body)

    def merge_patch(
        self,
        kind: Kind[T],
        key: Key,
        patch: Mapping[str, Any],
        *,
        resource_version: str = "",
        uid: str = "",
        subresource: str = "",
    ) -> T:
        """JSON merge patch; with *resource_version* or *uid* it fails with Conflict if the object is another by now."""
        conditions = {"resourceVersion": resource_version, "uid": uid}
        metadata = {**patch.get("metadata", {}), **{name: value for name, value in conditions.items() if value}}
        whole = {**patch, "metadata": metadata} if metadata else patch
        try:
            body = self._patch(
                "merge", kind, key, msgspec.json.encode(whole), resource_version, subresource=subresource
            )
        except Invalid as error:
            if uid and any(cause.field == "metadata.uid" for cause in error.causes):
                # To the server a patch with another uid is an attempt to change the uid.
                raise Conflict(msgspec.structs.replace(error.status, code=409, reason="Conflict")) from error
            raise
        return self._codecs.of(kind).decode_answer(body)

    def json_patch(
        self, kind: Kind[T], key: Key, operations: Sequence[Mapping[str, Any]], *, subresource: str = ""
    ) -> T:
        body = self._patch("json", kind, key, msgspec.json.encode(operations), subresource=subresource)
        return self._codecs.of(kind).decode_answer(body)

    def patch_status(self, obj: T, status: Mapping[str, Any], *, kind: Kind[T] | None = None) -> T:
        """Merge *status* into that of *obj* if it is still what the server has; an Unstructured needs its *kind*."""
        return self._patch_unchanged(obj, {"status": status}, kind or type(obj), "status")

    def patch_spec(self, obj: T, spec: Mapping[str, Any], *, kind: Kind[T] | None = None) -> T:
        """Merge *spec* into that of *obj* if it is still what the server has; an Unstructured needs its *kind*."""
        return self._patch_unchanged(obj, {"spec": spec}, kind or type(obj), "")

    def scale(self, kind: Kind[T], key: Key, replicas: int) -> None:
        self._patch("merge", kind, key, msgspec.json.encode({"spec": {"replicas": replicas}}), subresource="scale")

    def delete(
        self,
        kind: Kind[T],
        key: Key,
        *,
        uid: str = "",
        resource_version: str = "",
        propagation: Propagation | None = None,
        grace_period_seconds: int | None = None,
    ) -> None:
        """Delete the object; with *uid* or *resource_version* only if it is that one, else Conflict."""
        options = _delete_options(uid, resource_version, propagation, grace_period_seconds)
        self._send("delete", "DELETE", kind, _named(key), body=msgspec.json.encode(options))

    def delete_collection(
        self,
        kind: Kind[T],
        namespace: str = "",
        *,
        labels: str = "",
        fields: str = "",
        propagation: Propagation | None = None,
    ) -> None:
        options = _delete_options("", "", propagation, None)
        query = _selectors(labels, fields)
        self._send(
            "deletecollection", "DELETE", kind, Key(namespace, ""), query=query, body=msgspec.json.encode(options)
        )

    def list_page(
        self, kind: Kind[T], namespace: str, query: Mapping[str, str], *, metadata_only: bool = False
    ) -> ObjectList:
        """One list request exactly as given; the items stay bytes."""
        accept = METADATA_LIST if metadata_only else "application/json"
        return decode_list(self._send("list", "GET", kind, Key(namespace, ""), query=query, accept=accept))

    def watch(
        self,
        kind: Kind[T],
        namespace: str,
        query: Mapping[str, str],
        *,
        on_chunk: Callable[[bytes], None],
        cancellation: Cancellation,
        timeouts: Timeouts,
        metadata_only: bool = False,
    ) -> None:
        """Feed the bytes of a watch to *on_chunk* until the server ends it; one JSON document a line."""
        resource_type = _resource_type(kind)
        call = Call(
            "watch",
            "GET",
            resource_type.path(path_segment(namespace)),
            {**query, "watch": "true"},
            accept=METADATA_OBJECT if metadata_only else "application/json",
            timeouts=timeouts,
        )
        for observer in self._observers:
            observer.sending(Access("watch", resource_type, "", namespace, ""))
        self._connection.stream(call, on_chunk, cancellation)

    def raw_get(self, path: str) -> bytes:
        """Any path, e.g. `/version`."""
        return self._connection.send(Call("get", "GET", path)).body

    def _pages(self, kind: Kind[T], namespace: str, selectors: Mapping[str, str]) -> Iterator[Sequence[msgspec.Raw]]:
        query = {"limit": str(PAGE_SIZE), **selectors}
        while True:
            page = self.list_page(kind, namespace, query)
            yield page.items or ()
            if not page.metadata.continue_:
                return
            query["continue"] = page.metadata.continue_

    def _patch_unchanged(self, obj: T, patch: Mapping[str, Any], kind: Kind[T], subresource: str) -> T:
        metadata = obj.metadata
        return self.merge_patch(
            kind,
            metadata.key,
            patch,
            resource_version=metadata.resource_version,
            uid=metadata.uid,
            subresource=subresource,
        )

    def _patch(
        self,
        patch_type: str,
        kind: Kind[T],
        key: Key,
        body: bytes,
        resource_version: str = "",
        *,
        subresource: str,
        query: Mapping[str, str] | None = None,
    ) -> bytes:
        return self._send(
            "patch",
            "PATCH",
            kind,
            _named(key),
            subresource,
            query=query or self._write_query,
            body=body,
            content_type=_CONTENT_TYPES[patch_type],
            resource_version=resource_version,
        )

    def _send(
        self,
        verb: str,
        method: str,
        kind: Kind[T],
        key: Key,
        subresource: str = "",
        *,
        query: Mapping[str, str] | None = None,
        body: bytes | None = None,
        content_type: str = "application/json",
        accept: str = "application/json",
        resource_version: str = "",
        made_name: str = "",
    ) -> bytes:
        resource_type = _resource_type(kind)
        call = Call(
            verb,
            method,
            resource_type.path(path_segment(key.namespace), path_segment(key.name), subresource),
            query or {},
            body,
            content_type,
            accept,
            _LIST_TIMEOUTS if verb == "list" else DEFAULT_TIMEOUTS,
        )
        observers = [each for each in self._observers if each.is_interested]
        if not observers:
            return self._connection.send(call).body
        access = Access(verb, resource_type, subresource, key.namespace, key.name, resource_version, made_name)
        return self._send_observed(call, access, observers)

    def _send_observed(self, call: Call, access: Access, observers: Sequence[Observer]) -> bytes:
        def sending() -> None:
            for observer in observers:
                observer.sending(access)

        try:
            answer = self._connection.send(call, before_each=sending).body
        except Exception as error:
            for observer in observers:
                observer.failed(access, error)
            raise
        for observer in observers:
            observer.answered(access, answer)
        return answer


def _resource_type(kind: Kind[T]) -> ResourceType:
    return kind if isinstance(kind, ResourceType) else resource_type_of(kind)


def _named(key: Key) -> Key:
    # Without a name the path is that of the whole collection: a delete would take all of it.
    if not key.name:
        raise TerminalError("the object has no name; give one, or use list or delete_collection")
    return key


def _key_of(manifest: Mapping[str, Any]) -> Key:
    metadata = manifest.get("metadata") or {}
    if not metadata.get("name"):
        raise TerminalError("server-side apply needs metadata.name; generateName does not work with it")
    return Key(metadata.get("namespace", ""), metadata["name"])


def _selectors(labels: str, fields: str) -> dict[str, str]:
    given = {"labelSelector": labels, "fieldSelector": fields}
    return {name: value for name, value in given.items() if value}


def _delete_options(
    uid: str, resource_version: str, propagation: Propagation | None, grace_period_seconds: int | None
) -> dict[str, Any]:
    wanted = {"uid": uid, "resourceVersion": resource_version}
    preconditions = {name: value for name, value in wanted.items() if value}
    options = {
        "preconditions": preconditions or None,
        "propagationPolicy": propagation,
        "gracePeriodSeconds": grace_period_seconds,
    }
    return {
        "apiVersion": "meta.k8s.io/v1",
        "kind": "DeleteOptions",
        **{name: value for name, value in options.items() if value is not None},
    }
