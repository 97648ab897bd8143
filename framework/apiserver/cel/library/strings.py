"""The functions on text: cel-go's string extension, version 2."""

from typing import Any

from framework.apiserver.cel.declarations import function, member
from framework.apiserver.cel.errors import CelError
from framework.apiserver.cel.library.string_format import format_text
from framework.apiserver.spelling import ESCAPES

# What Unicode calls white space; Python's own idea has some control characters more.
_SPACE = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}
_UPPER = {lower: upper for upper, lower in _LOWER.items()}
_QUOTED = str.maketrans(ESCAPES)


def _char_at(text: str, index: int) -> str:
    if not 0 <= index <= len(text):
        raise CelError(f"index out of range: {index}")
    return text[index : index + 1]


def _index_of(text: str, wanted: str, offset: int = 0) -> int:
    if not wanted:
        return offset
    if offset < 0:
        raise CelError(f"index out of range: {offset}")
    return text.find(wanted, offset)


def _last_index_of(text: str, wanted: str) -> int:
    return text.rfind(wanted)


def _last_index_of_before(text: str, wanted: str, offset: int) -> int:
    if not wanted:
        return offset
    if offset < 0:
        raise CelError(f"index out of range: {offset}")
    return -1 if offset >= len(text) else text.rfind(wanted, 0, offset + len(wanted))


def _split(text: str, separator: str, limit: int = -1) -> list[str]:
    if limit == 0:
        return []
    if separator:
        return text.split(separator, limit - 1 if limit > 0 else -1)
    if limit < 0 or limit >= len(text):
        return list(text)
    return [*text[: limit - 1], text[limit - 1 :]]


def _replace(text: str, old: str, new: str, limit: int = -1) -> str:
    return text.replace(old, new, max(limit, -1))


def _substring(text: str, start: int) -> str:
    if not 0 <= start <= len(text):
        raise CelError(f"index out of range: {start}")
    return text[start:]


def _substring_between(text: str, start: int, end: int) -> str:
    if start > end:
        raise CelError(f"invalid substring range. start: {start}, end: {end}")
    for index in (start, end):
        if not 0 <= index <= len(text):
            raise CelError(f"index out of range: {index}")
    return text[start:end]


def _join(parts: list[Any], separator: str = "") -> str:
    for part in parts:
        if not isinstance(part, str):
            raise CelError(f"join: invalid input: {part}")
    return separator.join(parts)


OVERLOADS = (
    member("string.charAt(int) -> string", _char_at),
    member("string.indexOf(string) -> int", _index_of),
    member("string.indexOf(string, int) -> int", _index_of),
    member("string.lastIndexOf(string) -> int", _last_index_of),
    member("string.lastIndexOf(string, int) -> int", _last_index_of_before),
    member("string.lowerAscii() -> string", lambda text: text.translate(_LOWER)),
    member("string.upperAscii() -> string", lambda text: text.translate(_UPPER)),
    member("string.replace(string, string) -> string", _replace),
    member("string.replace(string, string, int) -> string", _replace),
    member("string.split(string) -> list(string)", _split),
    member("string.split(string, int) -> list(string)", _split),
    member("string.substring(int) -> string", _substring),
    member("string.substring(int, int) -> string", _substring_between),
    member("string.trim() -> string", lambda text: text.strip(_SPACE)),
    member("string.format(list(dyn)) -> string", format_text),
    member("list(string).join() -> string", _join),
    member("list(string).join(string) -> string", _join),
    function("strings.quote(string) -> string", lambda text: f'"{text.translate(_QUOTED)}"'),
)
