"""Turns the parser's tree into ours: folds become the macros they were written as, and macros it lacks are found.

The C++ parser expands the standard macros and those of optionals. It does not know `existsOne`, `sortBy` and the
two-variable macros of Kubernetes: those arrive as plain calls.
"""

from framework.apiserver.cel import syntax
from framework.apiserver.cel.source import Problem, Source

_PREDICATES = {"all": "all", "exists": "exists", "existsOne": "exists_one", "exists_one": "exists_one"}
_TRANSFORMS = {"transformList": "map", "transformMap": "transformMap", "transformMapEntry": "transformMapEntry"}
_ACCUMULATORS = frozenset({"__result__", "@result"})
_PREDICATE_ARGUMENTS = 3
_TRANSFORM_ARGUMENTS = (3, 4)
_SHORT_ARGUMENTS = 2


class MacroReader:
    """Reads one tree; what is wrong with its macros is in `problems` afterwards."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self.problems: list[Problem] = []

    def read(self, node: syntax.Node) -> syntax.Node:
        match node:
            case syntax.Select():
                return self._select(node)
            case syntax.Call():
                return self._call(node)
            case syntax.ListLiteral():
                return self._list(node)
            case syntax.MapLiteral():
                return self._map(node)
            case syntax.Comprehension():
                return self._comprehension(node)
            case syntax.StructLiteral():
                node.position = self._source.find("{", node.position)
        return node

    def _select(self, node: syntax.Select) -> syntax.Node:
        if self._source.starts_with("`", node.position + 1):
            self.problems.append(Problem(node.position + 1, "unsupported syntax: '`'"))
        node.operand = self.read(node.operand)
        return node

    def _list(self, node: syntax.ListLiteral) -> syntax.Node:
        node.elements = [self.read(each) for each in node.elements]
        return node

    def _map(self, node: syntax.MapLiteral) -> syntax.Node:
        for entry in node.entries:
            entry.key, entry.value = self.read(entry.key), self.read(entry.value)
        return node

    def _call(self, node: syntax.Call) -> syntax.Node:
        if node.target is None:
            node.arguments = [self.read(each) for each in node.arguments]
            return _optional_select(node)
        name, count = node.function, len(node.arguments)
        if name == "existsOne" and count == _SHORT_ARGUMENTS:
            return self._fold(node, "exists_one", 1)
        if name == "sortBy" and count == _SHORT_ARGUMENTS:
            return self._fold(node, "sortBy", 1)
        if name in _PREDICATES and count == _PREDICATE_ARGUMENTS:
            return self._fold(node, _PREDICATES[name], 2)
        if name in _TRANSFORMS and count in _TRANSFORM_ARGUMENTS:
            return self._fold(node, _TRANSFORMS[name], 2)
        node.target = self.read(node.target)
        node.arguments = [self.read(each) for each in node.arguments]
        return node

    def _fold(self, call: syntax.Call, kind: str, variable_count: int) -> syntax.Node:
        assert call.target is not None  # noqa: S101 - macros are receivers' calls
        names = self._variable_names(call.arguments[:variable_count])
        *keep, body = (self.read(each) for each in call.arguments[variable_count:])
        source = self.read(call.target)
        return syntax.Fold(call.position, kind, source, names, body, keep[0] if keep else None)

    def _variable_names(self, nodes: list[syntax.Node]) -> tuple[str, ...]:
        names: list[str] = []
        for node in nodes:
            problem = ""
            if not isinstance(node, syntax.Ident):
                problem = "argument must be a simple name"
            elif node.name in _ACCUMULATORS:
                problem = "iteration variable overwrites accumulator variable"
            elif node.name in names:
                problem = f"duplicate variable name: {node.name}"
            else:
                names.append(node.name)
            if problem:
                self.problems.append(Problem(node.position, problem))
        return tuple(names)

    def _comprehension(self, node: syntax.Comprehension) -> syntax.Node:
        if node.variable == "#unused":
            return syntax.Bind(node.position, node.accumulator, self.read(node.initial), self.read(node.result))
        kind, keep, body = _written_as(node)
        source = self.read(node.source)
        keep = None if keep is None else self.read(keep)
        return syntax.Fold(node.position, kind, source, (node.variable,), self.read(body), keep)


def _written_as(node: syntax.Comprehension) -> tuple[str, "syntax.Node | None", syntax.Node]:
    """The macro, its condition and its body, recognised by how the accumulator starts."""
    step = node.step
    assert isinstance(step, syntax.Call)  # noqa: S101 - so every macro is expanded
    if isinstance(node.initial, syntax.Literal):
        if isinstance(node.initial.value, bool):
            return ("all" if node.initial.value else "exists"), None, step.arguments[1]
        return "exists_one", None, step.arguments[0]
    keep = None
    if step.function == "_?_:_":
        keep, grown = step.arguments[0], step.arguments[1]
        assert isinstance(grown, syntax.Call)  # noqa: S101 - `accumulator + [element]`
        step = grown
    element = step.arguments[1]
    assert isinstance(element, syntax.ListLiteral)  # noqa: S101 - `[element]`
    return "map", keep, element.elements[0]


def _optional_select(node: syntax.Call) -> syntax.Node:
    if node.function != "_?._":
        return node
    operand, field = node.arguments
    assert isinstance(field, syntax.Literal)  # noqa: S101 - the grammar allows a name only
    return syntax.Select(node.position, operand, field.value, optional=True)
