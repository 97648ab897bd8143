"""PodDisruptionBudgets."""

from framework.apiserver.builtin.strategy import BuiltinStrategy
from framework.apiserver.builtin.validation.checks import (
    Errors,
    at_most_all,
    count_or_percent,
    in_order,
    non_negative,
)
from framework.apiserver.builtin.validation.selectors import label_selector
from framework.apiserver.fields import invalid_value, unsupported
from framework.apiserver.objects import Object
from framework.apiserver.spelling import Spelled

_EVICTION_POLICIES = ("AlwaysAllow", "IfHealthyBudget")


class PodDisruptionBudgetStrategy(BuiltinStrategy):
    allows_unconditional_update = False
    has_generation = True
    checks_metadata = False

    def problems(self, obj: Object) -> Errors:
        spec = obj.get("spec", {})
        if "minAvailable" in spec and "maxUnavailable" in spec:
            yield invalid_value("spec", _shown(spec), "minAvailable and maxUnavailable cannot be both set")
        for field in ("minAvailable", "maxUnavailable"):
            if field in spec:
                yield from count_or_percent(f"spec.{field}", spec[field])
                yield from at_most_all(f"spec.{field}", spec[field])
        yield from label_selector("spec.selector", spec.get("selector"))
        policy = spec.get("unhealthyPodEvictionPolicy")
        if policy is not None and policy not in _EVICTION_POLICIES:
            yield unsupported("spec.unhealthyPodEvictionPolicy", policy, _EVICTION_POLICIES)

    def status_problems(self, new: Object, old: Object) -> Errors:  # noqa: ARG002 - the old one does not matter
        fields = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
        return non_negative(new["status"], "status", *fields)


def _shown(spec: Object) -> Spelled:
    """*spec* with the names and in the order that the server's own type has."""
    fields = ("minAvailable", "selector", "maxUnavailable", "unhealthyPodEvictionPolicy")
    return in_order({field[0].upper() + field[1:]: spec.get(field) for field in fields})
