"""Who looks on while a client reads and writes: a journal, a fence, a cache of own writes."""

import msgspec

from apis.meta import ResourceType

_READS = frozenset({"get", "list", "watch"})


class Access(msgspec.Struct, frozen=True):
    """One read or write, as an observer is told of it."""

    verb: str
    resource_type: ResourceType
    subresource: str
    namespace: str
    name: str
    # The version that a write was made conditional on; empty: none.
    resource_version: str = ""
    # Of the object that a create makes, unless the server chooses it: a create is not addressed to it.
    made_name: str = ""

    @property
    def is_read(self) -> bool:
        return self.verb in _READS


class Observer:
    """Hears of each access in the task that makes it; a subclass overrides what it wants to hear."""

    @property
    def is_interested(self) -> bool:
        """Asked before each access: who is not, hears nothing of it, and costs nothing."""
        return True

    def sending(self, access: Access) -> None:
        """Called right before a request goes out, each time it is sent again too.

        What this raises goes to the caller, and nothing is sent.
        """

    def answered(self, access: Access, answer: bytes) -> None:
        """The server did it, and answered this; not called for watches. Must not raise."""

    def failed(self, access: Access, error: Exception) -> None:
        """The caller gets *error*; a write may have been applied all the same. Must not raise."""
