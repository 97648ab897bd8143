"""Which releases belong to an account."""

from collections.abc import Mapping

import msgspec

from apis.cfworker.selector import LabelSelector, LabelSelectorRequirement
from framework.store import Requirement


class InvalidSelector(Exception):
    """The text says what is wrong, for a condition."""


class Selection(msgspec.Struct, frozen=True):
    requirements: tuple[Requirement, ...]

    def matches(self, labels: Mapping[str, str]) -> bool:
        return all(requirement.matches(labels) for requirement in self.requirements)


def selection_of(selector: LabelSelector) -> Selection:
    """Raise InvalidSelector."""
    labels = [Requirement(key, frozenset([value]), wanted=True) for key, value in selector.match_labels.items()]
    return Selection((*labels, *map(_requirement, selector.match_expressions)))


def _requirement(expression: LabelSelectorRequirement) -> Requirement:
    if expression.operator in {"In", "NotIn"}:
        if not expression.values:
            raise InvalidSelector(f"{expression.operator} of label {expression.key!r} needs values")
        return Requirement(expression.key, frozenset(expression.values), expression.operator == "In")
    if expression.operator in {"Exists", "DoesNotExist"}:
        if expression.values:
            raise InvalidSelector(f"{expression.operator} of label {expression.key!r} takes no values")
        return Requirement(expression.key, None, expression.operator == "Exists")
    raise InvalidSelector(
        f"{expression.operator!r} of label {expression.key!r} is none of In, NotIn, Exists, DoesNotExist"
    )
