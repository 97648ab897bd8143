"""One thing that a controller must be allowed to do, wherever it is deployed."""

from typing import Literal

import msgspec

from apis.meta import ResourceType
from framework.errors import ConfigurationError

# In each namespace that is watched; in the one where the process keeps its own objects, as its Lease and certificates;
# or in all namespaces, whatever is watched.
Place = Literal["watched", "home", "all"]
# In the order in which people write them.
VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
# The server does not know the name when it decides about these.
_NAMELESS_VERBS = frozenset({"create", "deletecollection"})


class Right(msgspec.Struct, frozen=True):
    verb: str
    resource: ResourceType
    subresource: str = ""
    # Of this object alone; empty: of any.
    name: str = ""
    place: Place = "watched"
    # In this namespace, whatever is watched.
    namespace: str = ""
    # The work goes on without it, with less to show for it: events, for example.
    is_optional: bool = False

    def __post_init__(self) -> None:
        if self.verb not in VERBS:
            raise ConfigurationError(f"{self.verb!r} is no verb of a right; known: {', '.join(VERBS)}")
        if "*" in (self.resource.gvk.group, self.resource.plural, self.subresource, self.name):
            # It would cover kinds and objects that nobody has thought of yet.
            raise ConfigurationError(f"a right names what it is for; {self} has a wildcard")
        if self.name and self.verb in _NAMELESS_VERBS:
            raise ConfigurationError(f"the right to {self.verb} {self.resource} cannot be limited to one name")

    def __str__(self) -> str:
        what = f"{self.verb} {self.resource}" + (f"/{self.subresource}" if self.subresource else "")
        return f"{what} named {self.name}" if self.name else what
