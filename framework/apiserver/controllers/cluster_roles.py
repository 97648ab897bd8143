"""Fills in the rules of ClusterRoles that are made of others."""

from framework.apiserver.auth import aggregated_rules
from framework.apiserver.controllers.due_items import DueItems
from framework.apiserver.controllers.following import Follower
from framework.apiserver.controllers.kinds import CLUSTER_ROLES
from framework.apiserver.controllers.tools import ControllerTools
from framework.apiserver.controllers.working import work_off
from framework.apiserver.objects import Object

_NAME = "clusterrole-aggregation-controller"


class ClusterRoleAggregator:
    def __init__(self, tools: ControllerTools) -> None:
        self._storage = tools.storage
        self._loopback = tools.loopback.named(_NAME)
        self._follower = Follower(tools.storage, CLUSTER_ROLES.storage)
        self._due: DueItems[tuple[str]] = DueItems(tools.clock)

    def step(self) -> float | None:
        if self._follower.look() is not None:
            # Any role may be selected by any other.
            roles = self._storage.list(CLUSTER_ROLES.storage)
            for role in roles:
                if _rules_to_write(role, roles) is not None:
                    self._due.add((role["metadata"]["name"],))
        return work_off(self._due, self._aggregate)

    def _aggregate(self, item: tuple[str]) -> None:
        (name,) = item
        role = self._storage.get(CLUSTER_ROLES.storage, "", name)
        if role is None:
            return
        rules = _rules_to_write(role, self._storage.list(CLUSTER_ROLES.storage))
        if rules is not None:
            identity = {"apiVersion": CLUSTER_ROLES.api_version, "kind": CLUSTER_ROLES.kind}
            self._loopback.apply(CLUSTER_ROLES, {**identity, "metadata": {"name": name}, "rules": rules})


def _rules_to_write(role: Object, roles: list[Object]) -> list[object] | None:
    rules = aggregated_rules(role, roles)
    return None if rules is None or rules == (role.get("rules") or []) else rules
