"""A write, as a client sends it and as our field manager sees it."""

import copy
from typing import Any

import msgspec

from framework.apiserver.managedfields import SchemaFieldManager, keep_times_if_unchanged
from framework.apiserver.objects import Object
from framework.apiserver.resource import Manager
from framework.apiserver.schema import StructuralSchema
from framework.apiserver.status import status_document
from framework.errors import ApiError
from tests.conformance.managedfields.thing import API_VERSION, KIND, SCHEMA
from tests.conformance.patch.real_server import Answer, RealServer

_SCHEMA = StructuralSchema(SCHEMA)
_CONTENT_TYPES = {
    "PUT": "application/json",
    "merge": "application/merge-patch+json",
    "apply": "application/apply-patch+yaml",
}
_EARLY = "2000-01-01T00:00:00Z"


class Write(msgspec.Struct, frozen=True):
    """*verb* is PUT, merge or apply; *document* has spec, status, labels and the like, without what names it."""

    verb: str
    document: Object
    manager: str = "one"
    subresource: str = ""
    force: bool = False


class Things:
    """Objects of the custom resource, written on the real server and followed by our field manager."""

    def __init__(self, server: RealServer, namespace: str, field_manager: SchemaFieldManager) -> None:
        self._server = server
        self._namespace = namespace
        self._collection = f"/apis/{API_VERSION}/namespaces/{namespace}/things"
        self._field_manager = field_manager

    def create(self, name: str, document: Object, manager: str) -> tuple[Object, Object]:
        """What both make of it: (real, ours)."""
        sent = self._named(name, document)
        real = self._server.ask("POST", f"{self._collection}?fieldManager={manager}", sent)
        assert real.status == 201, real.document
        ours = _defaulted(sent)
        self._field_manager.update(None, ours, Manager(manager, API_VERSION), last_time(real.document))
        ours.pop("status", None)
        return _comparable(real.document), _comparable(ours)

    def write(self, name: str, write: Write) -> tuple[Object, Object]:
        live = self._live(name)
        sent = self._sent(name, write, live)
        real = self._send(name, write, sent)
        if real.status == 422:
            # Validation comes after the field manager, and is not its matter: an apply can leave a null behind.
            return {}, {}
        try:
            ours = self._ours(write, live, sent, last_time(real.document))
        except ApiError as error:
            return with_sorted_causes(real.document), with_sorted_causes(status_document(error))
        return _comparable(real.document), _comparable(ours)

    def _named(self, name: str, document: Object) -> Object:
        metadata = {**document.get("metadata", {}), "name": name, "namespace": self._namespace}
        return {"apiVersion": API_VERSION, "kind": KIND, **document, "metadata": metadata}

    def _live(self, name: str) -> Object | None:
        answer = self._server.ask("GET", f"{self._collection}/{name}")
        return answer.document if answer.status == 200 else None

    def _sent(self, name: str, write: Write, live: Object | None) -> Object:
        if write.verb == "merge":
            return write.document
        sent = self._named(name, write.document)
        if write.verb == "PUT" and live is not None:
            sent["metadata"] = {
                **sent["metadata"],
                **{key: live["metadata"][key] for key in ("resourceVersion", "uid")},
            }
        return sent

    def _send(self, name: str, write: Write, sent: Object) -> Answer:
        path = f"{self._collection}/{name}" + (f"/{write.subresource}" if write.subresource else "")
        query = f"?fieldManager={write.manager}" + ("&force=true" if write.force and write.verb == "apply" else "")
        method = "PUT" if write.verb == "PUT" else "PATCH"
        return self._server.ask(method, path + query, sent, headers={"Content-Type": _CONTENT_TYPES[write.verb]})

    def _ours(self, write: Write, live: Object | None, sent: Object, now: str) -> Object:
        manager = Manager(write.manager, API_VERSION, write.subresource)
        if write.verb == "apply":
            new = _defaulted(self._field_manager.apply(live, sent, manager, now, force=write.force))
        else:
            new = _defaulted(sent if write.verb == "PUT" else _merge_patched(live, sent))
            self._field_manager.update(live, new, manager, now)
        if live is None:
            new.pop("status", None)
            return new
        kept = _restored(write.subresource, new, live)
        keep_times_if_unchanged(kept, live)
        return kept


def _restored(subresource: str, new: Object, live: Object) -> Object:
    """*new* after the endpoint has put back what it does not write."""
    server_set = {key: live["metadata"][key] for key in ("uid", "resourceVersion", "creationTimestamp", "generation")}
    new["metadata"].update(server_set)
    if subresource == "status":
        metadata = {**live["metadata"], "managedFields": new["metadata"].get("managedFields")}
        restored = {**live, "metadata": metadata, "status": new.get("status")}
        if "status" not in new:
            del restored["status"]
        return restored
    new.pop("status", None)
    return {**new, "status": live["status"]} if "status" in live else new


def _merge_patched(live: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    result = copy.deepcopy(live) if isinstance(live, dict) else {}
    for name, value in patch.items():
        if value is None:
            result.pop(name, None)
        else:
            result[name] = _merge_patched(result.get(name), value)
    return result


def _defaulted(obj: Object) -> Object:
    """*obj* after decoding: with defaults, without nulls, and without parts of the metadata that are empty."""
    result = copy.deepcopy(obj)
    if not result["metadata"].get("labels"):
        result["metadata"].pop("labels", None)
    _SCHEMA.default(result)
    return result


def _comparable(obj: Object) -> Object:
    masked = ("uid", "resourceVersion", "creationTimestamp", "generation")
    metadata = {name: value for name, value in obj["metadata"].items() if name not in masked and value is not None}
    return {**obj, "metadata": metadata}


def with_sorted_causes(status: Object) -> Object:
    # The real server has no order among managers.
    details = status.get("details", {})
    causes = sorted(details.get("causes", ()), key=lambda cause: (cause["message"], cause["field"]))
    return {**status, "details": {**details, "causes": causes}}


def last_time(document: Object) -> str:
    entries = document.get("metadata", {}).get("managedFields") or ()
    return max((entry.get("time", _EARLY) for entry in entries), default=_EARLY)
