"""What the parts of one process must be allowed to do: its controllers, leader election, following definitions."""

from collections.abc import Iterable, Sequence
from typing import Any

from apis.meta import Key
from framework.controller import Controller, rights_of
from framework.informers import DEFINITIONS, SharedInformer
from framework.manager.leader import LEASES
from framework.rights import Right

# Under these names their rights are listed beside those of the controllers.
LEADER_ELECTION, FOLLOWED_DEFINITIONS, WEBHOOKS = "leader-election", "definitions", "webhooks"
METRICS = "metrics"


def component_rights(
    controllers: Iterable[Controller], watched: Sequence[str], lease: Key | None, *, follows_definitions: bool
) -> dict[str, tuple[Right, ...]]:
    rights = {each.name: rights_of(each, watched) for each in controllers}
    if lease is not None:
        rights[LEADER_ELECTION] = lease_rights(lease)
    if follows_definitions:
        rights[FOLLOWED_DEFINITIONS] = (Right("list", DEFINITIONS), Right("watch", DEFINITIONS))
    return rights


def lease_rights(lease: Key) -> tuple[Right, ...]:
    """To create one cannot be limited to a name; all else is."""
    return (
        Right("create", LEASES, place="home"),
        *(Right(verb, LEASES, name=lease.name, place="home") for verb in ("get", "patch")),
    )


def held_informers(controllers: Iterable[Controller]) -> set[SharedInformer[Any]]:
    """Those that only controllers follow which must wait for their rights."""
    known = list(controllers)
    waiting = [each.informers for each in known if each.options.rights is not None]
    free = [each.informers for each in known if each.options.rights is None]
    return set().union(*waiting).difference(*free)
