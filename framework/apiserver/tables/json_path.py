"""Kubernetes' own dialect of JSONPath, parsed once into steps."""

import re

from framework.apiserver.tables.json_path_steps import (
    Compare,
    Exists,
    Field,
    Identifier,
    JsonPathError,
    Literal,
    Path,
    Recursive,
    Slice,
    Step,
    Union,
    Wildcard,
)

_TERMINATORS = frozenset(" \t\r\n.,[]$@{}")
_QUOTED_KEY = re.compile(r"'([^']*)'")
_SLICE = re.compile(r"(-?[0-9]*)(:-?[0-9]*)?(:-?[0-9]*)?")
_NUMBER = re.compile(r"[+-]?[0-9.]*")
_COMPARISON = re.compile(r"([^!<>=]+)([!<>=]+)(.+?)", re.DOTALL)
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


def compile_json_path(text: str) -> Path:
    """JsonPathError if *text* is not a path. What stands in braces in kubectl's templates, without the braces."""
    return _Parser(text).parse()


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._steps: list[Step] = []

    def parse(self) -> Path:
        while self._at < len(self._text):
            # The object itself, which every path starts with.
            if self._text[self._at] in " @$":
                self._at += 1
            else:
                self._steps.append(self._next())
        return Path(tuple(self._steps))

    def _next(self) -> Step:
        character = self._text[self._at]
        if character == ".":
            return self._dot()
        if character == "[":
            return self._filter() if self._text.startswith("[?(", self._at) else self._brackets()
        if character in "\"'":
            return self._quoted()
        if character in "+-" or character.isdigit():
            return self._number()
        if character == "_" or character.isalpha():
            return self._word()
        raise JsonPathError(f"unrecognized character in action: {character!r}")

    def _until_terminator(self) -> str:
        start = self._at
        while self._at < len(self._text) and self._text[self._at] not in _TERMINATORS:
            self._at += 2 if self._text[self._at] == "\\" else 1
        return self._text[start : self._at]

    def _dot(self) -> Step:
        self._at += 1
        if not self._text.startswith(".", self._at):
            return self._field()
        if self._steps and isinstance(self._steps[-1], Recursive):
            raise JsonPathError("invalid multiple recursive descent")
        self._at += 1
        following = self._text[self._at : self._at + 1]
        if following == "_" or following.isalnum():
            self._steps.append(Recursive())
            return self._field()
        return Recursive()

    def _field(self) -> Step:
        name = self._until_terminator()
        return Wildcard() if name == "*" else Field(name.replace("\\", ""))

    def _word(self) -> Step:
        word = self._until_terminator()
        if word in {"true", "false"}:
            return Literal(word == "true")
        return Identifier(word)

    def _number(self) -> Step:
        found = _NUMBER.match(self._text, self._at)
        digits = found[0] if found else ""
        self._at += len(digits)
        try:
            return Literal(float(digits) if "." in digits else int(digits))
        except ValueError:
            raise JsonPathError(f"cannot parse number {digits}") from None

    def _quoted(self) -> Step:
        quote = self._text[self._at]
        end = self._at + 1
        while (end := self._text.find(quote, end)) > 0 and self._text[end - 1] == "\\":
            end += 1
        if end < 0:
            raise JsonPathError("unterminated quoted string")
        inner = self._text[self._at + 1 : end]
        self._at = end + 1
        return Literal(_ESCAPED.sub(r"\1", inner))

    def _brackets(self) -> Step:
        end = self._text.find("]", self._at)
        if end < 0:
            raise JsonPathError("unterminated array")
        inner = self._text[self._at + 1 : end]
        self._at = end + 1
        return _bracketed(inner)

    def _filter(self) -> Step:
        start = self._at + 3
        end = self._end_of_filter(start)
        self._at = end + 2
        condition = self._text[start:end]
        comparison = _COMPARISON.fullmatch(condition)
        if comparison is None:
            return Exists(compile_json_path(condition))
        return Compare(compile_json_path(comparison[1]), comparison[2], compile_json_path(comparison[3]))

    def _end_of_filter(self, start: int) -> int:
        quote = ""
        for at in range(start, len(self._text)):
            character = self._text[at]
            if character in "\"'" and self._text[at - 1] != "\\" and quote in {"", character}:
                quote = "" if quote else character
            elif character == ")" and not quote:
                if self._text[at + 1 : at + 2] != "]":
                    raise JsonPathError("unclosed array expect ]")
                return at
        raise JsonPathError("unterminated filter")


def _bracketed(inner: str) -> Step:
    if inner == "*":
        return Slice(0, None, None)
    if "," in inner:
        return Union(tuple(_bracketed(part.strip(" ")) for part in inner.split(",")))
    if key := _QUOTED_KEY.fullmatch(inner):
        # A dot in a quoted name still separates, unless it is escaped.
        return compile_json_path(f".{key[1]}")
    found = _SLICE.fullmatch(inner)
    if found is None or not inner:
        raise JsonPathError(f"invalid array index {inner}")
    if found[2] is None:
        return Slice.of_index(int(found[1]))
    start, stop, step = (part.lstrip(":") if part else "" for part in found.groups())
    return Slice(int(start or 0), int(stop) if stop else None, int(step) if step else None)
