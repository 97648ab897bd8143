"""Takes the None out of a type."""

from msgspec import inspect


def without_none(declared: inspect.Type) -> tuple[inspect.Type, bool]:
    """The type without its None, and whether it had one."""
    match declared:
        case inspect.Metadata():
            inner, had_none = without_none(declared.type)
            return inspect.Metadata(inner, declared.extra_json_schema, declared.extra), had_none
        case inspect.UnionType():
            rest = tuple(member for member in declared.types if not isinstance(member, inspect.NoneType))
            return rest[0] if len(rest) == 1 else inspect.UnionType(rest), len(rest) < len(declared.types)
        case inspect.LiteralType():
            values = tuple(value for value in declared.values if value is not None)
            return inspect.LiteralType(values), len(values) < len(declared.values)
        case _:
            return declared, False
