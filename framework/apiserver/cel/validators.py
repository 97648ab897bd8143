"""Looks at the literals of a checked expression, as the real server does before it accepts a rule."""

from collections.abc import Iterator

from framework.apiserver.cel import syntax
from framework.apiserver.cel.checker import Checked
from framework.apiserver.cel.errors import CelError
from framework.apiserver.cel.library import FUNCTIONS
from framework.apiserver.cel.library.regexes import pattern
from framework.apiserver.cel.library.string_format import CLAUSES, interpolate
from framework.apiserver.cel.source import Problem, Source
from framework.apiserver.cel.types import Type, unwrap_optional
from framework.apiserver.cel.values import type_name_of_kind

_PARSED = frozenset({"duration", "timestamp"})


def validate(tree: syntax.Node, source: Source, checked: Checked) -> None:
    problems = [problem for call in _calls(tree) for problem in _problems(call, checked)]
    problems += _mixed_literals(tree, checked)
    if problems:
        raise CelError(source.describe(problems))


def _problems(call: syntax.Call, checked: Checked) -> Iterator[Problem]:
    arguments = call.arguments if call.target is None else [call.target, *call.arguments]
    if call.function in _PARSED and call.target is None:
        yield from _unparsable(call)
    elif call.function == "matches":
        expression = arguments[-1]
        if isinstance(expression, syntax.Literal) and not _is_pattern(expression.value):
            yield Problem(expression.position, "invalid matches argument")
    elif call.function == "format" and isinstance(call.target, syntax.Literal):
        yield from _format_problems(call, call.target.value, checked)


def _unparsable(call: syntax.Call) -> Iterator[Problem]:
    argument = call.arguments[0]
    if not isinstance(argument, syntax.Literal) or not isinstance(argument.value, str):
        return
    parse = next(each.call for each in FUNCTIONS[call.function] if each.parameters[0].kind == "string")
    try:
        parse(argument.value)
    except CelError:
        yield Problem(argument.position, f"invalid {call.function} argument")


def _is_pattern(text: str) -> bool:
    try:
        pattern(text)
    except CelError:
        return False
    return True


def _format_problems(call: syntax.Call, template: str, checked: Checked) -> Iterator[Problem]:
    values = call.arguments[0]
    if not isinstance(values, syntax.ListLiteral) or not isinstance(template, str):
        return
    seen = 0
    at = call.position

    def write(clause: str, _: int | None) -> str:
        nonlocal seen, at
        argument = values.elements[seen]
        seen += 1
        kinds, complaint = CLAUSES[clause]
        wrong = _misfit(argument, kinds, checked)
        if wrong is not None:
            at = argument.position
            raise CelError(f"error during formatting: {complaint.format(wrong)}")
        return ""

    try:
        interpolate(template, len(values.elements), write)
    except CelError as error:
        yield Problem(at, str(error))
        return
    if len(values.elements) > seen:
        counts = f"(expected {seen}, got {len(values.elements)})"
        yield Problem(call.position, f"too many arguments supplied to string.format {counts}")


def _misfit(argument: syntax.Node, kinds: frozenset[str], checked: Checked) -> str | None:
    """The name of the argument's type if the clause does not take it."""
    declared: Type = checked.types[argument]
    if declared.kind == "dyn" or declared.kind in kinds:
        return None
    return declared.name if declared.kind == "opaque" else type_name_of_kind(declared.kind)


def _mixed_literals(node: syntax.Node, checked: Checked) -> Iterator[Problem]:
    """Lists and maps whose parts have different types; those to be formatted may have any."""
    match node:
        case syntax.Call(function="format"):
            return
        case syntax.ListLiteral():
            parts = [(each, index in node.optional) for index, each in enumerate(node.elements)]
            yield from list(_mixed(parts, checked))[:1]
        case syntax.MapLiteral():
            yield from _mixed([(entry.key, False) for entry in node.entries], checked)
            yield from _mixed([(entry.value, entry.optional) for entry in node.entries], checked)
    for child in _children(node):
        yield from _mixed_literals(child, checked)


def _mixed(parts: list[tuple[syntax.Node, bool]], checked: Checked) -> Iterator[Problem]:
    types = [
        unwrap_optional(checked.types[part])[0] if is_optional else checked.types[part] for part, is_optional in parts
    ]
    for (part, _), declared in zip(parts, types, strict=True):
        if not declared.same_as(types[0]):
            yield Problem(part.position, f"expected type '{types[0]}' but found '{declared}'")


def _calls(node: syntax.Node) -> Iterator[syntax.Call]:
    if isinstance(node, syntax.Call):
        yield node
    for child in _children(node):
        yield from _calls(child)


def _children(node: syntax.Node) -> list[syntax.Node]:  # noqa: PLR0911 - one for each kind of node
    match node:
        case syntax.Select():
            return [node.operand]
        case syntax.Call():
            return node.arguments if node.target is None else [node.target, *node.arguments]
        case syntax.ListLiteral():
            return node.elements
        case syntax.MapLiteral():
            return [part for entry in node.entries for part in (entry.key, entry.value)]
        case syntax.Fold():
            return [node.source, *([] if node.keep is None else [node.keep]), node.body]
        case syntax.Bind():
            return [node.value, node.body]
    return []
