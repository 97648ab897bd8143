"""Tells whether a role is neither wider nor narrower than what is done with it."""

from collections.abc import Iterable, Mapping

import msgspec

from framework.client import Access
from framework.rights.need import Need, namespace_of, resource_of
from framework.rights.review import ACCESS_REVIEWS

# Every authenticated user may: the server's own role system:basic-user says so.
_FREE = frozenset({("create", ACCESS_REVIEWS.gvk.group, ACCESS_REVIEWS.plural)})


class Comparison(msgspec.Struct, frozen=True):
    """Both are empty when the role fits."""

    # Done, though no right allows it.
    undeclared: tuple[str, ...]
    # Allowed, though nothing was done with it.
    unused: tuple[str, ...]


def compare(needs: Iterable[Need], seen: Iterable[Access], *, allowed: Mapping[str, str] | None = None) -> Comparison:
    """*allowed* are rights, as they are written, that need not be used, each with the reason."""
    declared, done = tuple(needs), tuple(access for access in seen if not _is_free(access))
    undeclared = [_written(access) for access in done if not any(need.covers(access) for need in declared)]
    unused = [str(need) for need in declared if not any(need.covers(access) for access in done)]
    return Comparison(
        undeclared=tuple(dict.fromkeys(undeclared)),
        unused=tuple(right for right in unused if right not in (allowed or {})),
    )


def _is_free(access: Access) -> bool:
    return (access.verb, *resource_of(access)) in _FREE


def _written(access: Access) -> str:
    subresource = f"/{access.subresource}" if access.subresource else ""
    named = f" named {access.name}" if access.name else ""
    namespace = namespace_of(access)
    where = f" in {namespace}" if namespace else ""
    return f"{access.verb} {access.resource_type}{subresource}{named}{where}"
