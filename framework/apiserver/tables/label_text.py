"""Labels and label selectors as one line."""

from collections.abc import Mapping
from typing import Any

from framework.apiserver.tables.reading import NONE


class InvalidSelectorError(ValueError):
    """An operator that there is not, or the wrong number of values for it."""


def labels_text(labels: Mapping[str, str] | None) -> str:
    return ",".join(f"{name}={labels[name]}" for name in sorted(labels)) if labels else NONE


def selector_text(selector: Mapping[str, Any] | None) -> str:
    """As `kubectl` shows it: `app=web,tier in (a,b)`."""
    try:
        return selector_query(selector) or NONE
    except InvalidSelectorError:
        return "<error>"


def selector_query(selector: Mapping[str, Any] | None) -> str:
    """*selector* as a query parameter; "" if it selects all or nothing."""
    if not selector:
        return ""
    requirements = [(name, f"{name}={value}") for name, value in (selector.get("matchLabels") or {}).items()]
    requirements += [(one["key"], _requirement(one)) for one in selector.get("matchExpressions") or []]
    return ",".join(text for _, text in sorted(requirements, key=lambda requirement: requirement[0]))


def _requirement(expression: Mapping[str, Any]) -> str:
    key, operator, values = expression["key"], expression.get("operator"), expression.get("values") or []
    if operator in {"In", "NotIn"} and values:
        return f"{key} {operator.lower()} ({','.join(sorted(values))})"
    if operator == "Exists" and not values:
        return str(key)
    if operator == "DoesNotExist" and not values:
        return f"!{key}"
    raise InvalidSelectorError(str(operator))
