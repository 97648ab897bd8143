"""What can be told of a CEL rule without compiling it: which fields it reads."""

import re

_STRING = re.compile(r"""[rR]?("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')""")
_PRESENCE = re.compile(r"\bhas\([^()]*\)")
_FIELD = re.compile(r"\.\s*\??\s*([A-Za-z_]\w*)")
_OLD_SELF = re.compile(r"\boldSelf\b")
_WHOLE_SELF = re.compile(r"\b(?:self|oldSelf)\b(?!\s*[.\[])")
_STEP = re.compile(r"\.([A-Za-z_]\w*)|\['([^']+)'\]")
_ESCAPES = (("__", "__underscores__"), (".", "__dot__"), ("-", "__dash__"), ("/", "__slash__"))
_RESERVED = frozenset(
    """true false null in as break const continue else for function if import let loop package namespace return var
    void while""".split()  # noqa: SIM905 - a list of this length is read as words
)


def escaped(name: str) -> str:
    """The JSON name of a field as CEL spells it."""
    for plain, escape in _ESCAPES:
        name = name.replace(plain, escape)
    return f"__{name}__" if name in _RESERVED else name


def fields_of(expression: str) -> frozenset[str]:
    """The names of all fields it reads, at whatever depth, and of the functions it calls on them."""
    return frozenset(_FIELD.findall(_values_in(expression)))


def reads_all(expression: str) -> bool:
    """Whether it uses `self` as a whole."""
    return _WHOLE_SELF.search(_values_in(expression)) is not None


def is_transition(rule: str) -> bool:
    return _OLD_SELF.search(_STRING.sub("", rule)) is not None


def steps_of(field_path: str) -> list[str] | None:
    """The names that a fieldPath goes through, or None if it is not one."""
    if not field_path or _STEP.sub("", field_path):
        return None
    return [dotted or quoted for dotted, quoted in _STEP.findall(field_path)]


def _values_in(expression: str) -> str:
    # Whether a field is there costs nothing, and a text constant reads none.
    return _PRESENCE.sub("", _STRING.sub("", expression))
