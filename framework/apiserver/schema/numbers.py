"""Numbers as Go sees them."""

import math
from typing import Any

# Beyond these a JSON number is a float, even without a fraction.
LEAST_INT64 = -(2**63)
GREATEST_INT64 = 2**63 - 1

_GREATEST_SAFE = 2**53 - 1
_CLOSE = 1e-9


def is_json_integer(number: float) -> bool:
    """Whether a float counts as an integer: so close to one that the difference may come from rounding."""
    if math.isnan(number) or math.isinf(number) or abs(number) > _GREATEST_SAFE:
        return False
    whole = int(number)
    if number == whole:
        return True
    return number > 0 and whole != 0 and (number - whole) / (number + whole) < _CLOSE


def as_go_holds(number: Any) -> Any:
    """An integer that does not fit into 64 bits is a float."""
    return number if isinstance(number, float) or is_int64(number) else float(number)


def is_int64(number: int) -> bool:
    return LEAST_INT64 <= number <= GREATEST_INT64
