"""The server's own way to itself: ordinary requests, made by a controller."""

from collections.abc import Mapping
from typing import Any, Protocol
from urllib.parse import quote

import msgspec

from apis.meta import Key
from framework.apiserver.objects import Object
from framework.errors import Status, api_error
from framework.http.exchange import Handler, PeerCertificate, ServerRequest

_FIRST_NOT_OK = 300
_MERGE, _APPLY = "application/merge-patch+json", "application/apply-patch+yaml"
_status = msgspec.json.Decoder(Status)


class Addressed(Protocol):
    """What a path is made of: a Resource, or one of `kinds`."""

    @property
    def group(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def plural(self) -> str: ...
    @property
    def is_namespaced(self) -> bool: ...


class Loopback:
    """Requests as a member of system:masters, under *name* as field manager. Raises the ApiError of a refusal."""

    def __init__(self, handler: Handler, name: str) -> None:
        self._handler = handler
        self._name = name
        self._headers = {"user-agent": name, "accept": "application/json"}
        self._peer = PeerCertificate(f"system:{name}", ("system:masters",))

    def named(self, name: str) -> "Loopback":
        return Loopback(self._handler, name)

    def create(self, kind: Addressed, namespace: str, obj: Object) -> Object:
        return self._send("POST", _path(kind, Key(namespace, "")), obj)

    def create_subresource(self, kind: Addressed, key: Key, subresource: str, obj: Object) -> Object:
        return self._send("POST", _path(kind, key, subresource), obj)

    def update(self, kind: Addressed, obj: Object, subresource: str = "") -> Object:
        """Replace the object, if it is still the one that was read."""
        return self._send("PUT", _path(kind, key_of(obj), subresource), obj)

    def merge_patch(self, kind: Addressed, key: Key, patch: Mapping[str, Any], subresource: str = "") -> Object:
        return self._send("PATCH", _path(kind, key, subresource), patch, _MERGE)

    def apply(self, kind: Addressed, obj: Object) -> Object:
        query = f"?fieldManager={quote(self._name)}&force=true"
        return self._send("PATCH", _path(kind, key_of(obj)) + query, obj, _APPLY)

    def delete(
        self,
        kind: Addressed,
        obj: Object,
        *,
        propagation: str | None = None,
        grace_seconds: int | None = None,
        only_unchanged: bool = False,
    ) -> None:
        """Delete exactly this object, and with *only_unchanged* only as it was read."""
        metadata = obj["metadata"]
        preconditions = {"uid": metadata["uid"]}
        if only_unchanged:
            preconditions["resourceVersion"] = metadata["resourceVersion"]
        options: dict[str, Any] = {"preconditions": preconditions}
        if propagation:
            options["propagationPolicy"] = propagation
        if grace_seconds is not None:
            options["gracePeriodSeconds"] = grace_seconds
        self._send("DELETE", _path(kind, key_of(obj)), options)

    def _send(self, method: str, target: str, body: Any, content_type: str = "application/json") -> Object:
        headers = {**self._headers, "content-type": content_type}
        answer = self._handler.handle(ServerRequest(method, target, headers, msgspec.json.encode(body), self._peer))
        if answer.status >= _FIRST_NOT_OK:
            raise api_error(_refusal(answer.status, answer.body))
        content: Object = msgspec.json.decode(answer.body)
        return content


def key_of(obj: Object) -> Key:
    return Key(obj["metadata"].get("namespace", ""), obj["metadata"]["name"])


def _refusal(code: int, body: bytes) -> Status:
    try:
        return _status.decode(body)
    except msgspec.MsgspecError:
        # Nothing is served there, which the server says in plain text.
        return Status(code=code, reason="NotFound", message=body.decode(errors="replace").strip())


def _path(kind: Addressed, key: Key, subresource: str = "") -> str:
    root = f"/apis/{kind.group}/{kind.version}" if kind.group else f"/api/{kind.version}"
    scope = f"/namespaces/{key.namespace}" if key.namespace and kind.is_namespaced else ""
    # Some kinds allow any sign in a name, and a question mark would begin a query.
    name = quote(key.name, safe=":")
    return "/".join(part for part in (f"{root}{scope}/{kind.plural}", name, subresource) if part)
