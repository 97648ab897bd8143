"""How a property's name is written in an expression."""

import re

RESERVED = frozenset(
    {
        *("true", "false", "null", "in", "as", "break", "const", "continue", "else", "for", "function", "if"),
        *("import", "let", "loop", "package", "namespace", "return", "var", "void", "while"),
    }
)
_ESCAPED = re.compile(r"__|[-./]")
_ALLOWED = re.compile(r"[A-Za-z_./-][A-Za-z0-9_./-]*")
_REPLACEMENTS = {"__": "__underscores__", ".": "__dot__", "-": "__dash__", "/": "__slash__"}


def escape(name: str) -> str | None:
    """The identifier for *name*; None if an expression cannot name it."""
    if name in RESERVED:
        return f"__{name}__"
    if _ALLOWED.fullmatch(name) is None:
        return None
    return _ESCAPED.sub(lambda found: _REPLACEMENTS[found[0]], name)
