"""Labels, and the selectors that stand in objects."""

from collections.abc import Mapping

from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each
from framework.apiserver.fields import forbidden_field, invalid_value, required
from framework.apiserver.objects import Object
from framework.apiserver.selectors import label_selector_from_object

_WITH_VALUES = {"In", "NotIn"}
_WITHOUT_VALUES = {"Exists", "DoesNotExist"}


def labels(path: str, values: Mapping[str, str]) -> Errors:
    for key, value in values.items():
        yield from each(path, key, names.qualified_name(key))
        yield from each(path, value, names.label_value(value))


def label_selector(path: str, selector: Object | None) -> Errors:
    if selector is None:
        return
    yield from labels(f"{path}.matchLabels", selector.get("matchLabels", {}))
    for position, requirement in enumerate(selector.get("matchExpressions", ())):
        yield from _requirement(f"{path}.matchExpressions[{position}]", requirement)


def _requirement(path: str, requirement: Object) -> Errors:
    operator, values = requirement.get("operator", ""), requirement.get("values", ())
    if operator in _WITH_VALUES:
        if not values:
            yield required(f"{path}.values", "must be specified when `operator` is 'In' or 'NotIn'")
    elif operator in _WITHOUT_VALUES:
        if values:
            detail = "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"
            yield forbidden_field(f"{path}.values", detail)
    else:
        yield invalid_value(f"{path}.operator", operator, "not a valid selector operator")
    key = requirement.get("key", "")
    yield from each(f"{path}.key", key, names.qualified_name(key))
    for position, value in enumerate(values):
        yield from each(f"{path}.values[{position}]", value, names.label_value(value))


def is_usable(selector: Object | None) -> bool:
    """Whether it selects by rules that can be followed."""
    return not any(label_selector("", selector))


def is_empty(selector: Object) -> bool:
    return not selector.get("matchLabels") and not selector.get("matchExpressions")


def matches(selector: Object | None, found: Mapping[str, str]) -> bool:
    """Whether a usable selector selects an object with the labels *found*."""
    return label_selector_from_object(selector).matches(found)
