"""The wire format of protobuf: numbered fields, each a number or bytes."""

import struct
from collections.abc import Iterator

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_LONGEST_VARINT = 10
_MASK = (1 << 64) - 1

# A number, or the bytes of anything else; the eight or four bytes of a number of fixed width come as bytes too.
Raw = int | bytes


class Malformed(ValueError):
    """The bytes are no message."""


def fields(data: bytes) -> Iterator[tuple[int, Raw]]:
    """Number and raw value of each field."""
    position, end = 0, len(data)
    while position < end:
        tag, position = varint(data, position)
        number, wire_type = tag >> 3, tag & 7
        if not number:
            raise Malformed("a field has no number")
        if wire_type == _VARINT:
            value, position = varint(data, position)
            yield number, value
            continue
        if wire_type == _BYTES:
            length, position = varint(data, position)
        elif wire_type in {_FIXED64, _FIXED32}:
            length = 8 if wire_type == _FIXED64 else 4
        else:
            raise Malformed(f"wire type {wire_type} of field {number}")
        if position + length > end:
            raise Malformed(f"field {number} is longer than its message")
        yield number, data[position : position + length]
        position += length


def varint(data: bytes, position: int) -> tuple[int, int]:
    """The number at *position*, and the position behind it."""
    value = 0
    for shift in range(_LONGEST_VARINT):
        if position >= len(data):
            raise Malformed("a number has no end")
        byte = data[position]
        position += 1
        value |= (byte & 0x7F) << (7 * shift)
        if byte < 0x80:  # noqa: PLR2004 - the last byte has no continuation bit
            return value & _MASK, position
    raise Malformed("a number is too long")


def packed(data: bytes) -> Iterator[int]:
    """The numbers of a list that is one field."""
    position = 0
    while position < len(data):
        value, position = varint(data, position)
        yield value


def signed(raw: Raw, bits: int = 64) -> int:
    """As Go converts: what does not fit is cut off."""
    value = number(raw) & ((1 << bits) - 1)
    return value - (1 << bits) if value >> (bits - 1) else value


def number(raw: Raw) -> int:
    if not isinstance(raw, int):
        raise Malformed("bytes stand where a number should")
    return raw


def content(raw: Raw) -> bytes:
    if isinstance(raw, int):
        raise Malformed("a number stands where bytes should")
    return raw


def text(raw: Raw) -> str:
    """What is not UTF-8 is replaced, as when Go writes it as JSON."""
    return content(raw).decode(errors="replace")


def double(raw: Raw) -> float:
    data = content(raw)
    if len(data) != 8:  # noqa: PLR2004 - the width of the type
        raise Malformed("a floating-point number has eight bytes")
    value: float = struct.unpack("<d", data)[0]
    return value
