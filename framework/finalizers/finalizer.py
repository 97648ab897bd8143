"""One finalizer of one controller."""

import re
from contextlib import suppress
from typing import Generic, TypeVar

from apis.meta import KubeObject
from framework.client import Client, Kind
from framework.errors import ConfigurationError, NotFound, TerminalError

T = TypeVar("T", bound=KubeObject)

_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_DOMAIN = re.compile(rf"(?=.{{1,253}}\Z){_LABEL}(\.{_LABEL})+")
_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")


class Finalizer(Generic[T]):
    """Puts *name* on objects of *kind*, and takes it off."""

    def __init__(self, client: Client, kind: Kind[T], name: str) -> None:
        self.name = checked_name(name)
        self._client = client
        self._kind = kind

    def is_on(self, obj: T) -> bool:
        return self.name in obj.metadata.finalizers

    def needs_cleanup(self, obj: T) -> bool:
        return obj.metadata.is_being_deleted and self.is_on(obj)

    def ensure(self, obj: T) -> T:
        """*obj* with the finalizer on it; written only if it is not there yet."""
        if self.is_on(obj):
            return obj
        if obj.metadata.is_being_deleted:
            raise TerminalError(
                f"{obj.key} is being deleted, finalizer {self.name} comes too late; make nothing for it"
            )
        return self._write(obj, [*obj.metadata.finalizers, self.name])

    def finish(self, obj: T) -> None:
        """Take the finalizer off, if it is on; what is gone is finished."""
        if not self.is_on(obj):
            return
        with suppress(NotFound):
            self._write(obj, [each for each in obj.metadata.finalizers if each != self.name])

    def _write(self, obj: T, finalizers: list[str]) -> T:
        # The whole list is replaced, which is safe only because the version must still be the one that was read.
        metadata = obj.metadata
        return self._client.merge_patch(
            self._kind,
            metadata.key,
            {"metadata": {"finalizers": finalizers}},
            resource_version=metadata.resource_version,
            uid=metadata.uid,
        )


def checked_name(name: str) -> str:
    """A domain and a name, or a domain alone, as long as the server takes it for a name."""
    domain, slash, short_name = name.partition("/")
    is_name = _NAME.fullmatch(short_name) if slash else _NAME.fullmatch(domain)
    if not _DOMAIN.fullmatch(domain) or not is_name:
        raise ConfigurationError(f"{name!r} cannot be a finalizer; it needs a domain and a name: example.dev/cleanup")
    return name
