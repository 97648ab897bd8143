"""Finds the type of every part of an expression, and refuses what the real server's checker refuses."""

from collections.abc import Mapping

import msgspec

from framework.apiserver.cel import syntax, types
from framework.apiserver.cel.declarations import Overload
from framework.apiserver.cel.errors import CelError
from framework.apiserver.cel.library import FUNCTIONS
from framework.apiserver.cel.operator_overloads import OPERATORS
from framework.apiserver.cel.source import Problem, Source
from framework.apiserver.cel.type_names import TYPE_NAMES
from framework.apiserver.cel.types import BOOL, DYN, ERROR, INT, Type
from framework.apiserver.cel.unify import Substitutions, most_general
from framework.apiserver.cel.values import kind_of

_LOGICAL = frozenset({"_&&_", "_||_"})
_LITERALS = {
    each.kind: each for each in (types.BOOL, types.INT, types.UINT, types.DOUBLE, types.STRING, types.BYTES, types.NULL)
}


class Checked(msgspec.Struct, eq=False):
    """What the checker found out; the planner relies on it."""

    types: dict[syntax.Node, Type] = {}
    overloads: dict[syntax.Call, list[Overload]] = {}
    # Idents and selects that name a variable or a type, by that full name.
    names: dict[syntax.Node, str] = {}
    variables: set[str] = msgspec.field(default_factory=set)


def check(tree: syntax.Node, source: Source, variables: Mapping[str, Type]) -> Checked:
    checker = _Checker(variables)
    checker.check(tree)
    if checker.problems:
        raise CelError(source.describe(checker.problems))
    found = checker.checked
    for node, declared in found.types.items():
        found.types[node] = checker.known.apply(declared, unknown_is_dyn=True)
    return found


class _Checker:
    def __init__(self, variables: Mapping[str, Type]) -> None:
        self.checked = Checked()
        self.problems: list[Problem] = []
        self.known = Substitutions()
        self._globals = variables
        self._scopes: list[dict[str, Type]] = []
        self._type_variables = 0

    def check(self, node: syntax.Node) -> Type:
        declared = self._type(node)
        self.checked.types[node] = declared
        return declared

    def _type(self, node: syntax.Node) -> Type:  # noqa: PLR0911 - one line for each kind of node
        match node:
            case syntax.Literal():
                return _LITERALS[kind_of(node.value)]
            case syntax.Ident():
                return self._ident(node)
            case syntax.Select():
                return self._select(node)
            case syntax.Call():
                return self._call(node)
            case syntax.ListLiteral():
                return self._list(node)
            case syntax.MapLiteral():
                return self._map(node)
            case syntax.Fold():
                return self._fold(node)
            case syntax.Bind():
                return self._bind(node)
            case syntax.StructLiteral():
                self._report(node, f"undeclared reference to '{node.type_name}' (in container '')")
        return ERROR

    def _report(self, node: syntax.Node | syntax.MapEntry, message: str) -> None:
        self.problems.append(Problem(node.position, message))

    def _mismatch(self, node: syntax.Node, expected: Type, actual: Type) -> None:
        self._report(node, f"expected type '{expected}' but found '{actual}'")

    def _fits(self, one: Type, other: Type) -> bool:
        return self.known.accept([one], [other])

    def _type_variable(self) -> Type:
        self._type_variables += 1
        return types.type_parameter(f"_var{self._type_variables - 1}")

    def _lookup(self, node: syntax.Node, name: str) -> Type | None:
        """The type of the variable or type named *name*; None if there is neither."""
        name = name.removeprefix(".")
        for scope in reversed(self._scopes):
            if name in scope:
                self.checked.names[node] = name
                return scope[name]
        if name in self._globals:
            self.checked.names[node] = name
            self.checked.variables.add(name)
            return self._globals[name]
        if name in TYPE_NAMES:
            self.checked.names[node] = name
            return types.type_of(TYPE_NAMES[name])
        return None

    def _ident(self, node: syntax.Ident) -> Type:
        found = self._lookup(node, node.name)
        if found is None:
            self._report(node, f"undeclared reference to '{node.name.removeprefix('.')}' (in container '')")
            return ERROR
        return found

    def _select(self, node: syntax.Select) -> Type:
        if not node.test_only and not node.optional:
            name = _qualified_name(node)
            found = None if name is None else self._lookup(node, name)
            if found is not None:
                return found
        operand = self.known.apply(self.check(node.operand))
        inner, was_optional = types.unwrap_optional(operand)
        result = self._field(node, inner)
        if node.test_only:
            return BOOL
        return types.optional_of(result) if was_optional or node.optional else result

    def _field(self, node: syntax.Select, declared: Type) -> Type:
        if declared.kind == "map":
            return declared.parameters[1]
        if declared.kind == "object":
            found = declared.fields.get(node.field)
            if found is None:
                self._report(node, f"undefined field '{node.field}'")
                return ERROR
            return found.type
        if declared.kind == "type_param":
            self._fits(DYN, declared)
        elif declared.kind not in ("dyn", "error"):
            self._report(node, f"type '{declared}' does not support field selection")
        return DYN

    def _call(self, node: syntax.Call) -> Type:
        arguments = [self.check(each) for each in node.arguments]
        if node.target is None:
            return self._resolve(node, node.function, arguments, member=False)
        prefix = _qualified_name(node.target)
        if prefix is not None and f"{prefix}.{node.function}" in FUNCTIONS:
            node.function, node.target = f"{prefix}.{node.function}", None
            return self._resolve(node, node.function, arguments, member=False)
        target = self.check(node.target)
        return self._resolve(node, node.function, [target, *arguments], member=True)

    def _resolve(self, node: syntax.Call, name: str, arguments: list[Type], *, member: bool) -> Type:
        declared = OPERATORS.get(name) or FUNCTIONS.get(name)
        if declared is None:
            self._report(node, f"undeclared reference to '{name}' (in container '')")
            return ERROR
        if name in _LOGICAL:
            return self._logical(node, arguments)
        result: Type | None = None
        matching: list[Overload] = []
        for overload in declared:
            found = self._match(overload, arguments) if overload.is_member == member else None
            if found is None:
                continue
            matching.append(overload)
            if result is None:
                result = found
            elif result.kind != "dyn" and not found.same_as(result):
                result = DYN
        if result is None:
            return self._no_overload(node, name, arguments, member=member)
        self.checked.overloads[node] = matching
        return result

    def _match(self, overload: Overload, arguments: list[Type]) -> Type | None:
        """The result of *overload* for *arguments*; None if they do not fit."""
        fresh = Substitutions({name: self._type_variable() for name in sorted(overload.type_parameters)})
        if not self.known.accept(arguments, [fresh.apply(each) for each in overload.parameters]):
            return None
        return self.known.apply(fresh.apply(overload.result))

    def _logical(self, node: syntax.Call, arguments: list[Type]) -> Type:
        for argument, declared in zip(node.arguments, arguments, strict=True):
            if not self._fits(declared, BOOL):
                self._mismatch(argument, BOOL, self.known.apply(declared))
        return BOOL

    def _no_overload(self, node: syntax.Call, name: str, arguments: list[Type], *, member: bool) -> Type:
        spelled = [str(self.known.apply(each, unknown_is_dyn=True)) for each in arguments]
        receiver = f"{spelled.pop(0)}." if member else ""
        self._report(node, f"found no matching overload for '{name}' applied to '{receiver}({', '.join(spelled)})'")
        return ERROR

    def _list(self, node: syntax.ListLiteral) -> Type:
        joined: Type | None = None
        for index, element in enumerate(node.elements):
            declared = self.check(element)
            if index in node.optional:
                declared = self._unwrapped(element, declared)
            joined = self._joined(joined, declared)
        return types.list_of(joined or self._type_variable())

    def _map(self, node: syntax.MapLiteral) -> Type:
        keys: Type | None = None
        values: Type | None = None
        for entry in node.entries:
            keys = self._joined(keys, self.check(entry.key))
            declared = self.check(entry.value)
            if entry.optional:
                declared = self._unwrapped(entry.value, declared)
            values = self._joined(values, declared)
        return types.map_of(keys or self._type_variable(), values or self._type_variable())

    def _unwrapped(self, node: syntax.Node, declared: Type) -> Type:
        inner, is_optional = types.unwrap_optional(self.known.apply(declared))
        if not is_optional and inner.kind != "dyn":
            self._mismatch(node, types.optional_of(inner), inner)
        return inner

    def _joined(self, previous: Type | None, current: Type) -> Type:
        if previous is None:
            return current
        return most_general(previous, current) if self._fits(previous, current) else DYN

    def _bind(self, node: syntax.Bind) -> Type:
        self._scopes.append({node.variable: self.check(node.value)})
        result = self.check(node.body)
        self._scopes.pop()
        return result

    def _fold(self, node: syntax.Fold) -> Type:
        walked = self.known.apply(self.check(node.source))
        key, value = self._entry_types(node, walked)
        only = value if walked.kind == "list" else key
        entry = [only] if len(node.variables) == 1 else [key, value]
        self._scopes.append(dict(zip(node.variables, entry, strict=True)))
        kept = BOOL if node.keep is None else self.check(node.keep)
        body = self.check(node.body)
        self._scopes.pop()
        self._condition(node, kept, types.list_of(self.known.apply(body)))
        return self._fold_result(node, walked, key, body)

    def _entry_types(self, node: syntax.Fold, walked: Type) -> tuple[Type, Type]:
        if walked.kind == "list":
            return INT, walked.parameters[0]
        if walked.kind == "map":
            return walked.parameters[0], walked.parameters[1]
        if walked.kind in ("dyn", "error", "type_param"):
            self._fits(DYN, walked)
            return DYN, DYN
        self._report(
            node.source,
            f"expression of type '{walked}' cannot be range of a comprehension (must be list, map, or dynamic)",
        )
        return ERROR, ERROR

    def _condition(self, node: syntax.Fold, declared: Type, grown: Type) -> None:
        """A condition is expanded to `condition ? grown : unchanged`, and so is the complaint about it."""
        if not self._fits(declared, BOOL):
            actual = self.known.apply(declared)
            self._report(node, f"found no matching overload for '_?_:_' applied to '({actual}, {grown}, {grown})'")

    def _fold_result(self, node: syntax.Fold, walked: Type, key: Type, body: Type) -> Type:
        match node.kind:
            case "all" | "exists":
                if not self._fits(body, BOOL):
                    self._mismatch(node.body, BOOL, self.known.apply(body))
                return BOOL
            case "exists_one":
                self._condition(node, body, INT)
                return BOOL
            case "sortBy":
                return self._sorted(node, walked, body)
            case "transformMap":
                return types.map_of(key, self.known.apply(body))
            case "transformMapEntry":
                return self._entries(node, body)
        return types.list_of(self.known.apply(body))

    def _sorted(self, node: syntax.Fold, walked: Type, body: Type) -> Type:
        call = syntax.Call(node.position, "@sortByAssociatedKeys", None, [])
        return self._resolve(call, call.function, [walked, types.list_of(body)], member=True)

    def _entries(self, node: syntax.Fold, body: Type) -> Type:
        expected = types.map_of(self._type_variable(), self._type_variable())
        if not self._fits(body, expected):
            actual = self.known.apply(body)
            self._report(
                node, f"found no matching overload for 'cel.@mapInsert' applied to '(map(dyn, dyn), {actual})'"
            )
            return ERROR
        return self.known.apply(body)


def _qualified_name(node: syntax.Node) -> str | None:
    """`a.b.c` as a name; None if it is anything else."""
    if isinstance(node, syntax.Ident):
        return node.name
    if isinstance(node, syntax.Select) and not node.test_only and not node.optional:
        operand = _qualified_name(node.operand)
        return None if operand is None else f"{operand}.{node.field}"
    return None
