"""Decoded JSON as Go's fmt prints it: the messages of the real server hold such texts."""

from typing import Any

from framework.apiserver.spelling import spelled_float, spelled_string

_TYPES = {
    dict: "map[string]interface {}",
    list: "[]interface {}",
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
}


def go_text(value: Any) -> str:
    """The verb %v: `map[name:a ports:[80 443]]`."""
    if isinstance(value, dict):
        members = " ".join(f"{name}:{go_text(value[name])}" for name in sorted(value))
        return f"map[{members}]"
    if isinstance(value, list):
        return f"[{' '.join(map(go_text, value))}]"
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    return spelled_float(value) if isinstance(value, float) else str(value)


def go_source(value: Any) -> str:
    """The verb %#v: as it would stand in a Go program."""
    if isinstance(value, str):
        return spelled_string(value)
    if value is None:
        return "interface {}(nil)"
    if isinstance(value, dict):
        pairs = (f"{spelled_string(name)}:{go_source(value[name])}" for name in sorted(value))
        return f"map[string]interface {{}}{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[]interface {{}}{{{', '.join(go_source(item) for item in value)}}}"
    return go_text(value)


def go_type(value: Any) -> str:
    """The verb %T of a decoded value."""
    return _TYPES.get(type(value), "%!s(<nil>)")
