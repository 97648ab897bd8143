"""Pure functions over lists of conditions."""

from collections.abc import Sequence

import msgspec

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
        wanted = msgspec.structs.replace(wanted, last_transition_time=present.last_transition_time)
    return [wanted if condition is present else condition for condition in conditions]
