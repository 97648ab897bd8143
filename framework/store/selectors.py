"""Label selectors, as kubectl writes them: `app=web,tier in (a,b),!legacy`."""

import re
from collections.abc import Mapping

import msgspec

_KEY = r"(?P<key>[A-Za-z0-9][A-Za-z0-9._/-]*)"
_SET = re.compile(rf"{_KEY}\s+(?P<operator>in|notin)\s*\((?P<values>[A-Za-z0-9._,\s-]*)\)")
_EQUALITY = re.compile(rf"{_KEY}\s*(?P<operator>==|=|!=)\s*(?P<value>[A-Za-z0-9._-]*)")
_EXISTENCE = re.compile(rf"(?P<negation>!?)\s*{_KEY}")
# Commas inside the parentheses of a set do not separate requirements.
_SEPARATOR = re.compile(r",(?![^(]*\))")


class Requirement(msgspec.Struct, frozen=True):
    """A label's value must, or must not, be one of *values*; no values means: whatever it is."""

    key: str
    values: frozenset[str] | None
    wanted: bool

    def matches(self, labels: Mapping[str, str]) -> bool:
        if self.key not in labels:
            return not self.wanted
        return (self.values is None or labels[self.key] in self.values) == self.wanted


class LabelSelector(msgspec.Struct, frozen=True):
    requirements: tuple[Requirement, ...] = ()

    @classmethod
    def parse(cls, text: str) -> "LabelSelector":
        parts = [part.strip() for part in _SEPARATOR.split(text)] if text.strip() else []
        return cls(tuple(_requirement(part) for part in parts))

    def matches(self, labels: Mapping[str, str]) -> bool:
        return all(requirement.matches(labels) for requirement in self.requirements)


def _requirement(text: str) -> Requirement:
    if match := _SET.fullmatch(text):
        values = frozenset(value.strip() for value in match["values"].split(","))
        return Requirement(match["key"], values, match["operator"] == "in")
    if match := _EQUALITY.fullmatch(text):
        return Requirement(match["key"], frozenset([match["value"]]), match["operator"] != "!=")
    if match := _EXISTENCE.fullmatch(text):
        return Requirement(match["key"], None, not match["negation"])
    raise ValueError(
        f"label selector {text!r} is none of: key, !key, key=value, key!=value, key in (a,b), key notin (a)"
    )
