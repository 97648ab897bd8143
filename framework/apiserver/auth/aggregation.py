"""ClusterRoles that are made of others."""

from collections.abc import Iterable
from typing import Any

from framework.apiserver.objects import Object
from framework.apiserver.selectors import label_selector_from_object


def aggregated_rules(cluster_role: Object, cluster_roles: Iterable[Object]) -> list[Any] | None:
    """The rules that *cluster_role* should have; None if it is no aggregate and its rules are its own.

    *cluster_roles* are all there are, by name.
    """
    aggregation = cluster_role.get("aggregationRule")
    if aggregation is None:
        return None
    others = [each for each in cluster_roles if each["metadata"]["name"] != cluster_role["metadata"]["name"]]
    rules: list[Any] = []
    for selector in aggregation.get("clusterRoleSelectors") or ():
        selected = label_selector_from_object(selector)
        for other in others:
            if selected.matches(other["metadata"].get("labels") or {}):
                rules.extend(rule for rule in other.get("rules") or () if rule not in rules)
    return rules
