"""Taints of nodes and the tolerations that pods have for them."""

from collections.abc import Sequence

from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each
from framework.apiserver.fields import FieldError, FieldProblem, invalid_value, required, unsupported
from framework.apiserver.objects import Object

_EFFECTS = ("NoSchedule", "PreferNoSchedule", "NoExecute")
_OPERATORS = ("Equal", "Exists")


def tolerations(path: str, values: Sequence[Object]) -> Errors:
    for position, toleration in enumerate(values):
        yield from _toleration(f"{path}[{position}]", toleration)


def _toleration(path: str, toleration: Object) -> Errors:
    key, operator = toleration.get("key", ""), toleration.get("operator", "")
    if key:
        yield from each(f"{path}.key", key, names.qualified_name(key))
    elif operator != "Exists":
        detail = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
        yield invalid_value(f"{path}.operator", operator, detail)
    effect = toleration.get("effect", "")
    if "tolerationSeconds" in toleration and effect != "NoExecute":
        yield invalid_value(f"{path}.effect", effect, "effect must be 'NoExecute' when `tolerationSeconds` is set")
    yield from _operator(path, operator, toleration.get("value", ""))
    if effect and effect not in _EFFECTS:
        yield unsupported(f"{path}.effect", effect, _EFFECTS)


def _operator(path: str, operator: str, value: str) -> Errors:
    field = f"{path}.operator"
    if operator in {"", "Equal"}:
        if problems := names.label_value(value):
            yield invalid_value(field, value, ";".join(problems))
    elif operator == "Exists":
        if value:
            yield invalid_value(field, value, "value must be empty when `operator` is 'Exists'")
    else:
        yield unsupported(field, operator, _OPERATORS)


def taints(path: str, values: Sequence[Object]) -> Errors:
    seen: set[tuple[str, str]] = set()
    for position, taint in enumerate(values):
        here = f"{path}[{position}]"
        key, value, effect = taint.get("key", ""), taint.get("value", ""), taint.get("effect", "")
        yield from each(f"{here}.key", key, names.qualified_name(key))
        if problems := names.label_value(value):
            yield invalid_value(f"{here}.value", value, ";".join(problems))
        if not effect:
            yield required(f"{here}.effect")
        elif effect not in _EFFECTS:
            yield unsupported(f"{here}.effect", effect, _EFFECTS)
        if (key, effect) in seen:
            detail = "taints must be unique by key and effect pair"
            yield FieldError(FieldProblem.DUPLICATE, here, taint, detail)
        seen.add((key, effect))
