"""Which names a module may have. They are untrusted: nothing ever uses one as a path."""

from collections.abc import Iterable

from framework.errors import WindlassError

LONGEST_MODULE_NAME_BYTES = 512
_SHOWN = 80
_DELETE = 0x7F


class InvalidModuleName(WindlassError):
    """The text says which name, and why."""


def check_module_names(names: Iterable[str]) -> None:
    """Raise InvalidModuleName for the first name that cannot be, or that is there twice."""
    seen: set[str] = set()
    for name in names:
        problem = "is there twice" if name in seen else _problem(name)
        if problem:
            raise InvalidModuleName(f"module {name[:_SHOWN]!r} {problem}")
        seen.add(name)


def _problem(name: str) -> str:
    rules = {
        "has no name": not name,
        f"has a name of more than {LONGEST_MODULE_NAME_BYTES} bytes": _bytes_of(name) > LONGEST_MODULE_NAME_BYTES,
        "has an absolute name": name.startswith("/"),
        "has a backslash in its name": "\\" in name,
        "has a control character in its name": any(ord(c) < ord(" ") or ord(c) == _DELETE for c in name),
        "has an empty part, `.` or `..` in its name": any(part in {"", ".", ".."} for part in name.split("/")),
    }
    return next((problem for problem, is_so in rules.items() if is_so), "")


def _bytes_of(name: str) -> int:
    return len(name.encode(errors="replace"))
