"""Request bodies in JSON: bounded depth, numbers as the real server sees them, its words for what is malformed."""

import math
import re
from typing import Any

import msgspec

from framework.apiserver.spelling import kind_of, spelled_string
from framework.apiserver.status import bad_request, too_large
from framework.errors import ApiError

# The real server takes 10,000. Everything behind us walks objects recursively, and no schema of a real kind comes near.
MAXIMUM_DEPTH = 256
# The real server takes as many as there is room for in a body, and works on them for minutes: each may have an error of
# its own. This is ten times what the largest objects of practice have.
MAXIMUM_VALUES = 200_000

_INT64 = range(-(2**63), 2**63)
# Many times faster than a regular expression.
_DIGITS_AS_ZERO = bytes.maketrans(b"123456789", b"000000000")
_DIGITS_OF_INT64 = b"0" * 19
_LAST_WORD = re.compile(rb"[a-z]+.?\Z", re.DOTALL)
_AT_BYTE = re.compile(r"(.*) \(byte (\d+)\)")
_FIRST_PRINTABLE = 0x20
# One that begins or ends a text.
_QUOTE = re.compile(rb'(?<!\\)(?:\\\\)*"')

# What msgspec says after "JSON is malformed: ", how far its position is off, and what Go says at the same character.
_WORDS = {
    "expected ':'": (0, "after object key"),
    "expected ',' or ']'": (0, "after array element"),
    "expected ',' or '}'": (0, "after object key:value pair"),
    "object keys must be strings": (0, "looking for beginning of object key string"),
    "trailing comma in object": (0, "looking for beginning of object key string"),
    "trailing comma in array": (0, "looking for beginning of value"),
    "trailing characters": (-1, "after top-level value"),
    "invalid escape character in string": (-1, "in string escape code"),
    "invalid number": (0, "in numeric literal"),
    "invalid character": (0, "looking for beginning of value"),
}


def decode_json(body: bytes) -> Any:
    """The value of *body*; BadRequest, worded as Go's decoder does, if it is not JSON or nested too deep."""
    try:
        value = _decode(body)
    except msgspec.DecodeError as error:
        raise bad_request(_reason(body, str(error))) from None
    except UnicodeDecodeError:
        # As Go: what is not UTF-8 becomes the replacement character.
        return decode_json(body.decode(errors="replace").encode())
    except RecursionError:
        raise _too_deep(body) from None
    containers = body.count(b"{") + body.count(b"[")
    if containers > MAXIMUM_DEPTH and is_too_deep(value):
        raise _too_deep(body)
    # Commas may stand in texts too, so that only says that it could be too many.
    if containers + body.count(b",") > MAXIMUM_VALUES and has_too_many_values(value):
        raise too_many_values()
    if _DIGITS_OF_INT64 in body.translate(_DIGITS_AS_ZERO):
        return _readable_numbers(value)
    return value


def _readable_numbers(value: Any) -> Any:
    try:
        return _without_big_integers(value)
    except msgspec.ValidationError as error:
        raise bad_request(str(error)) from None


def is_too_deep(value: Any) -> bool:
    """Whether containers are nested more than MAXIMUM_DEPTH deep; walks level by level, so any depth is safe."""
    level = [value] if isinstance(value, dict | list) else []
    depth = 0
    while level:
        depth += 1
        if depth > MAXIMUM_DEPTH:
            return True
        level = [
            member
            for container in level
            for member in (container.values() if isinstance(container, dict) else container)
            if isinstance(member, dict | list)
        ]
    return False


def has_too_many_values(value: Any) -> bool:
    waiting, count = [value], 0
    while waiting:
        container = waiting.pop()
        count += len(container) if isinstance(container, dict | list) else 1
        if count > MAXIMUM_VALUES:
            return True
        members = container.values() if isinstance(container, dict) else container
        if isinstance(container, dict | list):
            waiting += [member for member in members if isinstance(member, dict | list)]
    return False


def too_many_values() -> ApiError:
    return too_large(f"Request entity too large: limit is {MAXIMUM_VALUES} values")


def not_a_map(value: Any) -> str:
    """What is said where an object is needed."""
    return f"json: cannot unmarshal {kind_of(value)} into Go value of type map[string]interface {{}}"


def _number(text: str) -> int | float:
    # Go writes 1.0 as 1, so that an object reads the same when it comes back from storage.
    value = float(text)
    if not math.isfinite(value):
        raise msgspec.ValidationError(f"json: cannot unmarshal number {text} into Go value of type float64")
    return int(value) if value.is_integer() and abs(value) < _INT64.stop else value


def _without_big_integers(value: Any) -> Any:
    # Go reads an integer beyond 64 bits as a floating-point number.
    if isinstance(value, dict):
        return {name: _without_big_integers(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_without_big_integers(member) for member in value]
    if type(value) is int and value not in _INT64:
        return _number(str(value))
    return value


_decode = msgspec.json.Decoder(float_hook=_number).decode


def _too_deep(body: bytes) -> ApiError:
    return bad_request(f"invalid character {_quoted(body.lstrip()[:1])} exceeded max depth")


def _reason(body: bytes, message: str) -> str:
    found = _AT_BYTE.fullmatch(message.removeprefix("JSON is malformed: "))
    if found is None:
        return message if message.startswith("json: ") else "unexpected end of JSON input"
    what, position = found[1], int(found[2])
    offset, words = _WORDS.get(what, (0, "looking for beginning of value"))
    at = position + offset
    if at >= len(body) and what != "invalid character":
        return "unexpected end of JSON input"
    if what == "invalid character":
        return _invalid_character(body, at)
    return f"invalid character {_quoted(body[at : at + 1])} {words}"


def _invalid_character(body: bytes, at: int) -> str:
    character = body[at : at + 1]
    if character and character[0] < _FIRST_PRINTABLE and len(_QUOTE.findall(body, 0, at)) % 2:
        return f"invalid character {_quoted(character)} in string literal"
    if body[at - 1 : at] == b"-":
        return f"invalid character {_quoted(character)} in numeric literal"
    word = _LAST_WORD.search(body, max(0, at - 5), at)
    for literal in (b"true", b"false", b"null"):
        if word is not None and word[0][:1] == literal[:1]:
            return _broken_literal(literal, word[0])
    return f"invalid character {_quoted(character)} looking for beginning of value"


def _broken_literal(literal: bytes, word: bytes) -> str:
    for expected, got in zip(literal, word, strict=False):
        if expected != got:
            return (
                f"invalid character {_quoted(bytes([got]))} in literal {literal.decode()} (expecting '{chr(expected)}')"
            )
    return "unexpected end of JSON input"


def _quoted(character: bytes) -> str:
    """As Go spells a byte in its messages."""
    if character in {b"'", b'"'}:
        return r"'\''" if character == b"'" else "'\"'"
    return f"'{spelled_string(character.decode('latin-1'))[1:-1]}'"
