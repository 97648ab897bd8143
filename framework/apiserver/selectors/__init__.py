"""Label and field selectors, compiled once and then asked about many objects.

Guarantees: accepts and refuses what the real server accepts and refuses, with its messages (`BadRequest`); a selector
is immutable and safe to share.
Not guaranteed: that a field selector names fields that the kind has: ask `FieldSelector.check`.
"""

from framework.apiserver.selectors.field_selector import FieldSelector, parse_field_selector
from framework.apiserver.selectors.label_selector import EVERYTHING, NOTHING, LabelSelector
from framework.apiserver.selectors.objects import label_selector_from_object
from framework.apiserver.selectors.parser import parse_label_selector
from framework.apiserver.selectors.requirement import Operator, Requirement

__all__ = [
    "EVERYTHING",
    "NOTHING",
    "FieldSelector",
    "LabelSelector",
    "Operator",
    "Requirement",
    "label_selector_from_object",
    "parse_field_selector",
    "parse_label_selector",
]
