"""Standard conditions in a status.

Guarantees: lastTransitionTime moves only when the status of a condition
changes; a condition that says the same already is left as it is.
"""

from framework.conditions.conditions import find_condition, is_true, with_condition

__all__ = ["find_condition", "is_true", "with_condition"]
