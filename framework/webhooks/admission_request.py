"""What an admission handler is asked, in the terms of its type."""

from functools import cached_property
from typing import Any, Generic, TypeVar

import msgspec

from apis.meta import GroupVersionKind, Key, KubeObject
from framework.client import Codec
from framework.errors import Denied
from framework.webhooks.wire import User, WireRequest

T = TypeVar("T", bound=KubeObject)
_NOTHING = (b"", b"null")


class AdmissionRequest(Generic[T]):
    """One create, update or deletion that waits for a word of ours."""

    def __init__(self, wire: WireRequest, codec: Codec[T]) -> None:
        self._wire = wire
        self._codec = codec
        self._warnings: list[str] = []
        self._audit: dict[str, str] = {}

    @property
    def operation(self) -> str:
        """CREATE, UPDATE, DELETE or CONNECT."""
        return self._wire.operation

    @property
    def user(self) -> User:
        return self._wire.user_info

    @property
    def dry_run(self) -> bool:
        """Whether nothing will be stored: then a handler must not change anything elsewhere either."""
        return bool(self._wire.dry_run)

    @property
    def options(self) -> dict[str, Any]:
        """The CreateOptions, UpdateOptions or DeleteOptions of the request."""
        return self._wire.options or {}

    @property
    def uid(self) -> str:
        """Of this review, not of the object."""
        return self._wire.uid

    @property
    def key(self) -> Key:
        """The name is empty while the server has to generate it."""
        return Key(self._wire.namespace, self._wire.name)

    @property
    def subresource(self) -> str:
        return self._wire.sub_resource

    @property
    def requested_kind(self) -> GroupVersionKind:
        """What the user sent, which may be another version than the one that is handed over."""
        return (self._wire.request_kind or self._wire.kind).gvk

    @cached_property
    def new(self) -> T | None:
        """The object as it is to be; None when it is to be deleted."""
        return self._decoded(self._wire.object)

    @cached_property
    def old(self) -> T | None:
        """The object as it is; None when it is to be created."""
        return self._decoded(self._wire.old_object)

    @property
    def object(self) -> T:
        """The new object; of a deletion the old one."""
        found = self.old if self.new is None else self.new
        if found is None:
            raise Denied("the review holds no object", code=400, reason="BadRequest")
        return found

    def warn(self, text: str) -> None:
        """Have the user told *text*, whatever becomes of the request; best in less than 120 characters."""
        self._warnings.append(" ".join(text.split()))

    def audit(self, name: str, value: str) -> None:
        """Add an annotation to the audit log of the API server."""
        self._audit[name] = value

    @property
    def warnings(self) -> list[str]:
        return self._warnings

    @property
    def audit_annotations(self) -> dict[str, str]:
        return self._audit

    def _decoded(self, raw: msgspec.Raw) -> T | None:
        if bytes(raw) in _NOTHING:
            return None
        if not bytes(raw).lstrip().startswith(b"{"):
            raise self._unfit("it is no object")
        try:
            return self._codec.decode(raw)
        except msgspec.DecodeError as error:
            # Also reached before the API server has looked at the schema: mutation comes first.
            raise self._unfit(str(error)) from None

    def _unfit(self, why: str) -> Denied:
        name = self._wire.name or "without a name"
        message = f"{self._codec.resource_type.gvk.kind} {name} does not fit its type: {why}"
        return Denied(message, code=400, reason="BadRequest")
