"""What Go says about a value of a wrong type where it converts values, instead of decoding JSON."""

from typing import Any

from framework.apiserver.go_text import go_type as type_of

_KINDS = {"map[string]interface {}": "map", "[]interface {}": "slice"}
_SCALARS = frozenset({"string", "bool", "int32", "int64", "float64"})
# Go could turn one into the other, which JSON must not do.
_CONVERTIBLE = frozenset({("int64", "string"), ("float64", "int32"), ("float64", "int64")})


def conversion_problem(value: Any, go_type: str) -> str:
    found = type_of(value)
    kind = _KINDS.get(found, found)
    if go_type.startswith("map["):
        return f"cannot restore map from {kind}"
    if go_type.startswith("[]"):
        return f"cannot restore slice from {kind}"
    if go_type not in _SCALARS:
        return f"cannot restore struct from: {kind}"
    return f"cannot convert {kind} to {go_type}" if (kind, go_type) in _CONVERTIBLE else f"unrecognized type: {go_type}"
