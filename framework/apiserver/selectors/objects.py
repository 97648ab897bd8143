"""Selectors that stand inside API objects: `matchLabels` and `matchExpressions`."""

from collections.abc import Mapping
from typing import Any

from framework.apiserver.fields import aggregate
from framework.apiserver.selectors.label_selector import EVERYTHING, NOTHING, LabelSelector
from framework.apiserver.selectors.requirement import Operator, Requirement

_OPERATORS = {
    "In": Operator.IN,
    "NotIn": Operator.NOT_IN,
    "Exists": Operator.EXISTS,
    "DoesNotExist": Operator.DOES_NOT_EXIST,
}


def label_selector_from_object(selector: Mapping[str, Any] | None) -> LabelSelector:
    """The meaning of a LabelSelector: an empty one selects everything, an absent one nothing.

    Raises ValueError, worded as by the real server, for one that validation would not have let in.
    """
    if selector is None:
        return NOTHING
    labels = selector.get("matchLabels") or {}
    expressions = selector.get("matchExpressions") or []
    if not labels and not expressions:
        return EVERYTHING
    requirements = [Requirement(key, Operator.EQUALS, (value,)) for key, value in labels.items()]
    requirements += [_requirement(expression) for expression in expressions]
    for requirement in requirements:
        if problems := requirement.problems():
            raise ValueError(aggregate(problems))
    return LabelSelector(requirements)


def _requirement(expression: Mapping[str, Any]) -> Requirement:
    name = expression.get("operator", "")
    operator = _OPERATORS.get(name)
    if operator is None:
        raise ValueError(f'"{name}" is not a valid label selector operator')
    return Requirement(expression.get("key", ""), operator, tuple(sorted(expression.get("values") or ())))
