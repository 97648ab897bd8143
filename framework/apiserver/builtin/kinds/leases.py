"""Leases."""

from framework.apiserver.builtin.strategy import BuiltinStrategy
from framework.apiserver.builtin.validation.checks import Errors
from framework.apiserver.fields import invalid_value
from framework.apiserver.objects import Object

# Fields of coordinated leader election, which servers only keep when that is switched on.
_COORDINATED = ("strategy", "preferredHolder")


class LeaseStrategy(BuiltinStrategy):
    allows_unconditional_update = False
    allows_create_on_update = True
    has_core_finalizers = False

    def prepare_for_create(self, obj: Object) -> None:
        for field in _COORDINATED:
            obj.get("spec", {}).pop(field, None)

    def prepare_spec_update(self, new: Object, old: Object) -> None:
        for field in _COORDINATED:
            if field not in old.get("spec", {}):
                new.get("spec", {}).pop(field, None)

    def problems(self, obj: Object) -> Errors:
        spec = obj.get("spec", {})
        duration, transitions = spec.get("leaseDurationSeconds"), spec.get("leaseTransitions")
        if duration is not None and duration <= 0:
            yield invalid_value("spec.leaseDurationSeconds", duration, "must be greater than 0")
        if transitions is not None and transitions < 0:
            yield invalid_value("spec.leaseTransitions", transitions, "must be greater than or equal to 0")
