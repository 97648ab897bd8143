"""What became of the children."""

from typing import Literal, NamedTuple

import msgspec

from apis.meta import Key, ResourceType

# going: desired, but being deleted; it is made again when its deletion has been seen.
What = Literal["created", "applied", "unchanged", "going", "pruned"]


class Child(NamedTuple):
    resource_type: ResourceType
    key: Key

    def __str__(self) -> str:
        return f"{self.resource_type.gvk.kind} {self.key}"


class Deed(NamedTuple):
    what: What
    child: Child
    # Of an applied child: the first field that was not as desired.
    difference: str = ""


class Outcome(msgspec.Struct, frozen=True):
    """In the order in which it was done."""

    deeds: tuple[Deed, ...] = ()

    @property
    def created(self) -> tuple[Child, ...]:
        return self._all("created")

    @property
    def applied(self) -> tuple[Child, ...]:
        return self._all("applied")

    @property
    def unchanged(self) -> tuple[Child, ...]:
        return self._all("unchanged")

    @property
    def going(self) -> tuple[Child, ...]:
        return self._all("going")

    @property
    def pruned(self) -> tuple[Child, ...]:
        return self._all("pruned")

    @property
    def is_settled(self) -> bool:
        """Everything was as desired; nothing was written."""
        return all(deed.what == "unchanged" for deed in self.deeds)

    def _all(self, what: What) -> tuple[Child, ...]:
        return tuple(deed.child for deed in self.deeds if deed.what == what)
