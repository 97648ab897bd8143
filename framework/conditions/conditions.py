"""Pure functions over lists of conditions."""

from collections.abc import Sequence

from apis.meta import Condition


def find_condition(conditions: Sequence[Condition], condition_type: str) -> Condition | None:
    return next((condition for condition in conditions if condition.type == condition_type), None)


def is_true(conditions: Sequence[Condition], condition_type: str) -> bool:
    condition = find_condition(conditions, condition_type)
    return condition is not None and condition.status == "True"


def with_condition(conditions: Sequence[Condition], wanted: Condition) -> list[Condition]:
    """*conditions* with *wanted* in it, at the place of the one of the same type."""
    present = find_condition(conditions, wanted.type)
    if present is None:
        return [*conditions, wanted]
    if present.status == wanted.status:
        wanted = _with_transition_time_of(present, wanted)
    return [wanted if condition.type == wanted.type else condition for condition in conditions]


def _with_transition_time_of(present: Condition, wanted: Condition) -> Condition:
    return Condition(
        type=wanted.type,
        status=wanted.status,
        last_transition_time=present.last_transition_time,
        reason=wanted.reason,
        message=wanted.message,
        observed_generation=wanted.observed_generation,
    )
