"""Reads the syntax tree that the parser hands out: the protobuf message `cel.expr.ParsedExpr`.

The field numbers are those of cel-spec's `syntax.proto`. Only what an expression can contain is read: the message is
small, so that neither generated classes nor the protobuf runtime are worth their import.
"""

import struct
from collections import defaultdict
from typing import Any, TypeAlias

from framework.apiserver.cel import syntax
from framework.apiserver.cel.values import UInt

_VARINT, _FIXED64, _LENGTH = 0, 1, 2
_SIGN = 1 << 63

_Fields: TypeAlias = dict[int, list[Any]]


def read_parsed_expression(data: bytes) -> syntax.Node:
    parsed = _fields(_fields(data)[2][-1])
    positions: dict[int, int] = {}
    for entry in _fields(parsed[3][-1])[4]:
        pair = _fields(entry)
        positions[_number(pair, 1)] = _number(pair, 2)
    return _Tree(positions).expression(parsed[2][-1])


class _Tree:
    def __init__(self, positions: dict[int, int]) -> None:
        self._positions = positions

    def expression(self, data: bytes) -> syntax.Node:
        fields = _fields(data)
        position = self._positions.get(_number(fields, 2), 0)
        readers = {
            3: self._constant,
            4: self._ident,
            5: self._select,
            6: self._call,
            7: self._list,
            8: self._struct,
            9: self._comprehension,
        }
        number = next(number for number in fields if number in readers)
        return readers[number](position, _fields(fields[number][-1]))

    def _constant(self, position: int, fields: _Fields) -> syntax.Node:
        number, values = next(iter(fields.items()))
        return syntax.Literal(position, _CONSTANTS[number](values[-1]))

    def _ident(self, position: int, fields: _Fields) -> syntax.Node:
        return syntax.Ident(position, _text(fields, 1))

    def _select(self, position: int, fields: _Fields) -> syntax.Node:
        operand = self.expression(fields[1][-1])
        return syntax.Select(position, operand, _text(fields, 2), test_only=bool(_number(fields, 3)))

    def _call(self, position: int, fields: _Fields) -> syntax.Node:
        target = self.expression(fields[1][-1]) if 1 in fields else None
        arguments = [self.expression(each) for each in fields.get(3, ())]
        return syntax.Call(position, _text(fields, 2), target, arguments)

    def _list(self, position: int, fields: _Fields) -> syntax.Node:
        elements = [self.expression(each) for each in fields.get(1, ())]
        return syntax.ListLiteral(position, elements, frozenset(_packed(fields.get(2, ()))))

    def _struct(self, position: int, fields: _Fields) -> syntax.Node:
        name = _text(fields, 1)
        if name:
            return syntax.StructLiteral(position, name)
        return syntax.MapLiteral(position, [self._entry(_fields(each)) for each in fields.get(2, ())])

    def _entry(self, fields: _Fields) -> syntax.MapEntry:
        position = self._positions.get(_number(fields, 1), 0)
        key, value = self.expression(fields[3][-1]), self.expression(fields[4][-1])
        return syntax.MapEntry(position, key, value, optional=bool(_number(fields, 5)))

    def _comprehension(self, position: int, fields: _Fields) -> syntax.Node:
        source, initial, step, result = (self.expression(fields[number][-1]) for number in (2, 4, 6, 7))
        return syntax.Comprehension(position, _text(fields, 1), source, _text(fields, 3), initial, step, result)


_CONSTANTS: dict[int, Any] = {
    1: lambda _: None,
    2: bool,
    3: lambda value: (value ^ _SIGN) - _SIGN,
    4: UInt,
    5: lambda value: struct.unpack("<d", value)[0],
    6: lambda value: value.decode(),
    7: bytes,
}


def _fields(data: bytes) -> _Fields:
    found: _Fields = defaultdict(list)
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == _VARINT:
            value: Any
            value, at = _varint(data, at)
        else:
            size, at = (8, at) if kind == _FIXED64 else _varint(data, at)
            value, at = data[at : at + size], at + size
        found[number].append(value)
    return dict(found)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:  # noqa: PLR2004 - the continuation bit
            return value, at
        shift += 7


def _packed(chunks: Any) -> list[int]:
    numbers: list[int] = []
    for chunk in chunks:
        if isinstance(chunk, int):
            numbers.append(chunk)
            continue
        at = 0
        while at < len(chunk):
            number, at = _varint(chunk, at)
            numbers.append(number)
    return numbers


def _number(fields: _Fields, number: int) -> int:
    return int(fields[number][-1]) if number in fields else 0


def _text(fields: _Fields, number: int) -> str:
    return str(fields[number][-1], "utf-8") if number in fields else ""
