"""What a spec asks for, and whether anybody could do that."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from apis.confidentialcontainers.peerpodconfig import (
    LabelSelector,
    LabelSelectorRequirement,
    LimitScope,
    PeerPodConfigSpec,
)
from controllers.peerpodconfig.selection import Selection
from framework.store import Requirement

_DIGITS = re.compile(r"[0-9]{0,9}")
_NAME = re.compile(r"[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?")
_DOMAIN = re.compile(r"(?=.{1,253}\Z)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*")
_OPERATORS = ("In", "NotIn", "Exists", "DoesNotExist")
_TAINT_EFFECTS = ("", "NoSchedule", "PreferNoSchedule", "NoExecute")
_TOLERATION_OPERATORS = ("", "Equal", "Exists")


class InvalidSpec(Exception):
    """Its text names the field."""


class Wishes(msgspec.Struct, frozen=True):
    """A spec that can be fulfilled; without a *limit* each node has one VM."""

    selection: Selection
    limit: int | None = None
    is_per_node: bool = False


def wishes_of(spec: PeerPodConfigSpec) -> Wishes:
    if not _DIGITS.fullmatch(spec.limit):
        raise InvalidSpec(f"spec.limit: {spec.limit!r} is no decimal number of at most nine digits")
    for number, toleration in enumerate(spec.tolerations):
        path = f"spec.tolerations[{number}]"
        _check_one_of(f"{path}.operator", toleration.operator, _TOLERATION_OPERATORS)
        _check_one_of(f"{path}.effect", toleration.effect, _TAINT_EFFECTS)
        if not toleration.key and toleration.operator != "Exists":
            raise InvalidSpec(f"{path}.operator: must be Exists when there is no key")
        if toleration.operator == "Exists" and toleration.value:
            raise InvalidSpec(f"{path}.value: must be empty when the operator is Exists")
    return Wishes(
        Selection(_requirements(spec), tuple(spec.tolerations)),
        int(spec.limit) if spec.limit else None,
        spec.limit_scope == LimitScope.PER_NODE,
    )


def _requirements(spec: PeerPodConfigSpec) -> tuple[Requirement, ...] | None:
    """None if nothing is said about nodes, which is not the same as an empty selector."""
    if spec.label_selector is None and spec.node_selector is None:
        return None
    found: list[Requirement] = []
    if spec.label_selector is not None:
        found += _of_selector("spec.labelSelector", spec.label_selector)
    if spec.node_selector is not None:
        found += _of_node_selector(spec.node_selector)
    return tuple(found)


def _of_node_selector(given: Mapping[str, Any]) -> Iterable[Requirement]:
    path = "spec.nodeSelector"
    parts = {name: given[name] for name in ("matchLabels", "matchExpressions") if given.get(name) is not None}
    try:
        selector = msgspec.convert(parts, LabelSelector)
    except msgspec.ValidationError as error:
        raise InvalidSpec(f"{path}: {error}") from None
    yield from _of_selector(path, selector)
    flat = {key: value for key, value in given.items() if key not in ("matchLabels", "matchExpressions")}
    yield from _of_labels(path, flat)


def _of_selector(path: str, selector: LabelSelector) -> Iterable[Requirement]:
    yield from _of_labels(f"{path}.matchLabels", selector.match_labels)
    for number, expression in enumerate(selector.match_expressions):
        yield _of_expression(f"{path}.matchExpressions[{number}]", expression)


def _of_labels(path: str, labels: Mapping[str, Any]) -> Iterable[Requirement]:
    for key, value in sorted(labels.items()):
        place = f"{path}[{key!r}]"
        _check_key(place, key)
        if not isinstance(value, str):
            raise InvalidSpec(f"{place}: the value of a label is a string, not {value!r}; put it into quotes")
        _check_value(place, value)
        yield Requirement(key, frozenset([value]), wanted=True)


def _of_expression(path: str, expression: LabelSelectorRequirement) -> Requirement:
    _check_key(f"{path}.key", expression.key)
    _check_one_of(f"{path}.operator", expression.operator, _OPERATORS)
    if expression.operator in ("Exists", "DoesNotExist"):
        if expression.values:
            raise InvalidSpec(f"{path}.values: must be empty when the operator is {expression.operator}")
        return Requirement(expression.key, None, wanted=expression.operator == "Exists")
    if not expression.values:
        raise InvalidSpec(f"{path}.values: must not be empty when the operator is {expression.operator}")
    for value in expression.values:
        _check_value(f"{path}.values", value)
    return Requirement(expression.key, frozenset(expression.values), wanted=expression.operator == "In")


def _check_key(path: str, key: str) -> None:
    domain, slash, name = key.rpartition("/")
    if not _NAME.fullmatch(name) or (slash and not _DOMAIN.fullmatch(domain)):
        raise InvalidSpec(f"{path}: {key!r} can be no label's key")


def _check_value(path: str, value: str) -> None:
    if value and not _NAME.fullmatch(value):
        raise InvalidSpec(f"{path}: {value!r} can be no label's value")


def _check_one_of(path: str, value: str, known: Iterable[str]) -> None:
    if value not in known:
        raise InvalidSpec(f"{path}: {value!r} is none of {', '.join(filter(None, known))}")
