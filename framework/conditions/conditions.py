"""Pure functions over lists of conditions."""

from collections.abc import Sequence
from datetime import datetime
from typing import Literal

import msgspec

from apis.meta import Condition, KubeObject


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


def observed_condition(
    obj: KubeObject,
    condition_type: str,
    status: Literal["True", "False", "Unknown"],
    *,
    reason: str,
    message: str = "",
    now: datetime,
) -> Condition:
    """What is seen *now* of this generation of *obj*."""
    return Condition(
        type=condition_type,
        status=status,
        reason=reason,
        message=message,
        observed_generation=obj.metadata.generation,
        # Kubernetes knows no parts of a second here.
        last_transition_time=now.replace(microsecond=0),
    )


def changed_conditions(conditions: Sequence[Condition], *wanted: Condition) -> list[Condition] | None:
    """*conditions* with all of *wanted* in it; None if they say all that already."""
    changed = list(conditions)
    for each in wanted:
        changed = with_condition(changed, each)
    return None if changed == list(conditions) else changed
