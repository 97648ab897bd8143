"""Rights as the rules of roles: as few as possible, in an order that never changes by chance."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from framework.rights.need import is_of_its_own_namespace, resource_of
from framework.rights.right import VERBS, Right

Rule = dict[str, list[str]]


class Roles(msgspec.Struct, frozen=True, omit_defaults=True):
    """The rules of one component, by where they hold; each part is one Role, or one ClusterRole."""

    # A Role in each watched namespace, or one ClusterRole for all.
    watched: list[Rule] = []
    # A Role in the namespace of the process.
    home: list[Rule] = []
    # A ClusterRole, whatever is watched: what is in no namespace, or needed in all of them.
    cluster: list[Rule] = []
    # A Role in each of these namespaces.
    namespaces: dict[str, list[Rule]] = {}

    def to_builtins(self) -> dict[str, Any]:
        found: dict[str, Any] = msgspec.to_builtins(self)
        return found


def roles_of(rights: Iterable[Right]) -> Roles:
    by_part: dict[str, list[Right]] = {}
    for right in rights:
        by_part.setdefault(_part_of(right), []).append(right)
    named = {part.removeprefix("/"): rules_of(some) for part, some in by_part.items() if part.startswith("/")}
    return Roles(
        watched=rules_of(by_part.get("watched", ())),
        home=rules_of(by_part.get("home", ())),
        cluster=rules_of(by_part.get("cluster", ())),
        namespaces=dict(sorted(named.items())),
    )


def rules_of(rights: Iterable[Right]) -> list[Rule]:
    """One rule for all resources of a group that have the same verbs for the same names."""
    verbs: dict[tuple[str, str, str], set[str]] = {}
    for right in rights:
        group, plural = resource_of(right)
        resource = f"{plural}/{right.subresource}" if right.subresource else plural
        verbs.setdefault((group, right.name, resource), set()).add(right.verb)
    return [_rule(group, name, resources, order) for (group, name, order), resources in _grouped(verbs).items()]


def _grouped(verbs: Mapping[tuple[str, str, str], set[str]]) -> dict[tuple[str, str, tuple[str, ...]], list[str]]:
    grouped: dict[tuple[str, str, tuple[str, ...]], list[str]] = {}
    for (group, name, resource), given in sorted(verbs.items()):
        order = tuple(verb for verb in VERBS if verb in given)
        grouped.setdefault((group, name, order), []).append(resource)
    return grouped


def _rule(group: str, name: str, resources: list[str], verbs: tuple[str, ...]) -> Rule:
    rule = {"apiGroups": [group], "resources": resources, "verbs": list(verbs)}
    return rule | {"resourceNames": [name]} if name else rule


def _part_of(right: Right) -> str:
    if right.namespace:
        return f"/{right.namespace}"
    is_in_a_namespace = right.resource.is_namespaced or is_of_its_own_namespace(right)
    return right.place if is_in_a_namespace and right.place != "all" else "cluster"
