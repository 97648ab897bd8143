"""Compiles expressions against the schemas of their variables."""

from collections.abc import Callable, Mapping
from typing import Any

from framework.apiserver.cel import types
from framework.apiserver.cel.checker import check
from framework.apiserver.cel.errors import CelError
from framework.apiserver.cel.parser import parse
from framework.apiserver.cel.planner import Planner
from framework.apiserver.cel.program import Program
from framework.apiserver.cel.schema import Schema, declared_type
from framework.apiserver.cel.types import Type
from framework.apiserver.cel.validators import validate
from framework.apiserver.cel.values import Optional


class ExpressionCompiler:
    def __init__(self) -> None:
        # Variables with the same schema object, such as self and oldSelf, must have the same type. The schema is kept
        # beside the type, so that its id stays its own.
        self._declared: dict[int, tuple[Schema, Type]] = {}

    def compile(self, text: str, variables: Mapping[str, Schema | Optional | None]) -> Program:
        declared = {name: self._type(name, schema) for name, schema in variables.items()}
        tree, source = parse(text)
        checked = check(tree, source, declared)
        validate(tree, source, checked)
        names = sorted(checked.variables)
        planner = Planner(checked, names)
        run = planner.plan(tree)
        return Program(
            run,
            [(name, _input_converter(declared[name])) for name in names],
            local_count=planner.frame_size - 1 - len(names),
            names=frozenset(names),
            result_type=str(checked.types[tree]),
        )

    def _type(self, name: str, schema: Schema | Optional | None) -> Type:
        if schema is None:
            return types.DYN
        if isinstance(schema, Optional):
            return types.optional_of(self._type(name, schema.value))
        known = self._declared.get(id(schema))
        if known is None:
            found = declared_type(schema, f"selfType{len(self._declared)}")
            if found is None:
                raise CelError(f"undeclared reference to '{name}' (in container '')")
            known = self._declared[id(schema)] = (schema, found)
        return known[1]


def _input_converter(declared: Type) -> Callable[[Any], Any] | None:
    """Optional variables are made CEL values at once; all others stay JSON until they are used."""
    inner, is_optional = types.unwrap_optional(declared)
    convert = inner.convert
    if not is_optional or convert is None:
        return None
    return lambda value: Optional(convert(value.value)) if value.is_present else value
