"""What the status of a namespace that is being deleted tells about its contents."""

from collections import Counter
from typing import Any

from framework.apiserver.controllers.conditions import set_condition
from framework.apiserver.objects import GroupResource

# Type, and the reason and message of each when all is well.
_WHEN_WELL = {
    "NamespaceDeletionDiscoveryFailure": ("ResourcesDiscovered", "All resources successfully discovered"),
    "NamespaceDeletionGroupVersionParsingFailure": ("ParsedGroupVersions", "All legacy kube types successfully parsed"),
    "NamespaceDeletionContentFailure": (
        "ContentDeleted",
        "All content successfully deleted, may be waiting on finalization",
    ),
    "NamespaceContentRemaining": ("ContentRemoved", "All content successfully removed"),
    "NamespaceFinalizersRemaining": ("ContentHasNoFinalizers", "All content-preserving finalizers finished"),
}


class Remaining:
    """What is left in a namespace, and what holds it."""

    def __init__(self) -> None:
        self._counts: Counter[GroupResource] = Counter()
        self._finalizers: Counter[str] = Counter()

    def __bool__(self) -> bool:
        return bool(self._counts)

    def add(self, resource: GroupResource, finalizers: list[str]) -> None:
        self._counts[resource] += 1
        self._finalizers.update(finalizers)

    def conditions(self, known: list[Any], now: str) -> list[Any]:
        """The conditions of the namespace, after those that are *known*."""
        troubles = {}
        if self._counts:
            listed = [
                f"{one.resource}.{one.group} has {count} resource instances" for one, count in self._counts.items()
            ]
            message = f"Some resources are remaining: {', '.join(sorted(listed))}"
            troubles["NamespaceContentRemaining"] = ("SomeResourcesRemain", message)
        if self._finalizers:
            listed = [f"{name} in {count} resource instances" for name, count in self._finalizers.items()]
            message = f"Some content in the namespace has finalizers remaining: {', '.join(sorted(listed))}"
            troubles["NamespaceFinalizersRemaining"] = ("SomeFinalizersRemain", message)
        conditions = [dict(one) for one in known]
        for name, well in _WHEN_WELL.items():
            reason, message = troubles.get(name, well)
            status = "True" if name in troubles else "False"
            condition = {"type": name, "status": status, "reason": reason, "message": message}
            set_condition(conditions, condition, now)
        return conditions
