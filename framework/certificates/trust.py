"""Who must be told whom to trust."""

from typing import NamedTuple, Protocol

from apis.meta import Key, ResourceType


class Place(NamedTuple):
    """An object that a replica must hear of when it changes."""

    resource_type: ResourceType
    key: Key

    def __str__(self) -> str:
        return f"{self.resource_type.gvk.kind} {self.key}"


class Reading(Protocol):
    """What stood in one place when it was looked at."""

    def trusts(self, bundle: bytes) -> bool:
        """Whether exactly *bundle* is trusted there, or nobody asks there."""

    def write(self, bundle: bytes) -> None:
        """Have *bundle* trusted there; raises Conflict if the place was changed since it was looked at."""


class TrustTarget(Protocol):
    """A webhook configuration, the conversion of a definition: anything with a CA bundle for our server."""

    @property
    def place(self) -> Place: ...

    def read(self) -> Reading: ...
