"""Standard conditions in a status.

Guarantees: lastTransitionTime moves only when the status of a condition
changes; a condition that says the same already is left as it is, and then
nothing is written; conditions of other types, which may be another
controller's, stay as they are; a write is of the version that was read, or fails with Conflict.
Not guaranteed: that fields which `Condition` does not know survive in a list
that is written; the schema of a kind that uses `Condition` has none.
"""

from framework.conditions.conditions import (
    changed_conditions,
    find_condition,
    is_true,
    observed_condition,
    with_condition,
)
from framework.conditions.patching import patch_conditions

__all__ = [
    "changed_conditions",
    "find_condition",
    "is_true",
    "observed_condition",
    "patch_conditions",
    "with_condition",
]
