"""A right in the namespace where a process, as it is configured, needs it."""

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from framework.client import Access
from framework.rights.right import Place, Right

_NAMESPACES = ("", "namespaces")
_VERBS_ON_ONE = frozenset({"get", "update", "patch", "delete"})
# Of these a client does not tell the name, which is in the field selector if anywhere.
_SELECTING_VERBS = frozenset({"list", "watch"})


class Need(msgspec.Struct, frozen=True):
    """*namespace* is empty for all namespaces, and for what is in none."""

    right: Right
    namespace: str
    name: str = ""

    def covers(self, access: Access) -> bool:
        """Whether this need, once given, allows *access*."""
        right = self.right
        is_the_verb = (right.verb, right.subresource) == (access.verb, access.subresource)
        if not is_the_verb or resource_of(right) != resource_of(access):
            return False
        is_there = self.namespace in {"", namespace_of(access)}
        return is_there and (access.verb in _SELECTING_VERBS or self.name in {"", access.name})

    def __str__(self) -> str:
        return str(self.right)


def needs_of(rights: Iterable[Right], *, watched: Sequence[str], home: str) -> tuple[Need, ...]:
    """Each of *rights* in each namespace where it is needed; an empty one in *watched* is all."""
    return tuple(dict.fromkeys(need for right in rights for need in _needs_of(right, watched, home)))


def _needs_of(right: Right, watched: Sequence[str], home: str) -> Iterator[Need]:
    places: dict[Place, Sequence[str]] = {"watched": watched, "home": [home], "all": [""]}
    for namespace in [right.namespace] if right.namespace else places[right.place]:
        if is_of_its_own_namespace(right):
            yield Need(right, namespace, right.name or namespace)
        else:
            yield Need(right, namespace if right.resource.is_namespaced else "", right.name)


def resource_of(subject: Right | Access) -> tuple[str, str]:
    """Group and plural: a right is the same in every version."""
    resource = subject.resource if isinstance(subject, Right) else subject.resource_type
    return resource.gvk.group, resource.plural


def is_of_its_own_namespace(right: Right) -> bool:
    """To the server a namespace lies in itself: a Role inside it is enough to read it, but not to list them."""
    return resource_of(right) == _NAMESPACES and right.verb in _VERBS_ON_ONE


def namespace_of(access: Access) -> str:
    return access.name if resource_of(access) == _NAMESPACES else access.namespace
