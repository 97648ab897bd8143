"""Reads label selectors as kubectl writes them: `app=web,tier in (a,b),!legacy,rank>3`."""

from framework.apiserver.fields import FieldError, aggregate, invalid_value
from framework.apiserver.objectmeta.names import label_key_problems
from framework.apiserver.selectors.label_selector import EVERYTHING, LabelSelector
from framework.apiserver.selectors.requirement import SETS, Operator, Requirement
from framework.apiserver.selectors.tokens import END, Token, tokens_of
from framework.apiserver.status import bad_request

_BINARY = {
    "in": Operator.IN,
    "notin": Operator.NOT_IN,
    "=": Operator.EQUALS,
    "==": Operator.DOUBLE_EQUALS,
    "!=": Operator.NOT_EQUALS,
    ">": Operator.GREATER,
    "<": Operator.LESS,
}
_BINARY_NAMES = "in, notin, =, ==, !=, gt, lt"


def parse_label_selector(text: str) -> LabelSelector:
    """The selector that *text* describes; BadRequest, worded as by the real server, if it describes none."""
    if not text:
        return EVERYTHING
    try:
        return LabelSelector(_Parser(tokens_of(text)).requirements())
    except _Unparsable as error:
        raise bad_request(str(error)) from None


class _Unparsable(Exception):
    """The text is no selector; says why."""


class _Parser:
    def __init__(self, tokens: list[Token]) -> None:
        self._tokens = tokens
        self._position = 0

    def requirements(self) -> list[Requirement]:
        found: list[Requirement] = []
        if self._next.text == END:
            return found
        self._expect_start("expected: !, identifier, or 'end of string'")
        while True:
            found.append(self._checked_requirement())
            separator = self._take()
            if separator.text == END:
                return found
            if separator.text != ",":
                raise _Unparsable(f"found '{separator.text}', expected: ',' or 'end of string'")
            self._expect_start("expected: identifier after ','")

    @property
    def _next(self) -> Token:
        return self._tokens[self._position]

    def _take(self) -> Token:
        token = self._next
        # The end may be taken as often as somebody asks for more.
        if token.text != END:
            self._position += 1
        return token

    def _expect_start(self, expectation: str) -> None:
        if not self._next.is_identifier and self._next.text != "!":
            raise _Unparsable(f"found '{self._next.text}', {expectation}")

    def _checked_requirement(self) -> Requirement:
        try:
            requirement = self._requirement()
        except _Unparsable as error:
            raise _Unparsable(f"unable to parse requirement: {error}") from None
        if problems := requirement.problems():
            raise _Unparsable(f"unable to parse requirement: {aggregate(problems)}")
        return requirement

    def _requirement(self) -> Requirement:
        is_negated = self._next.text == "!"
        if is_negated:
            self._take()
        key = self._key()
        if is_negated:
            return Requirement(key, Operator.DOES_NOT_EXIST)
        if self._next.text in (END, ","):
            return Requirement(key, Operator.EXISTS)
        operator = self._operator()
        values = self._set() if operator in SETS else (self._value(),)
        return Requirement(key, operator, values)

    def _key(self) -> str:
        token = self._take()
        if not token.is_identifier:
            raise _Unparsable(f"found '{token.text}', expected: identifier")
        if problems := label_key_problems(token.text):
            # A selector in a query has no field, and the real server prints exactly that.
            raise _Unparsable(str(_nowhere(token.text, "; ".join(problems))))
        return token.text

    def _operator(self) -> Operator:
        token = self._take()
        operator = _BINARY.get(token.text)
        if operator is None:
            raise _Unparsable(f"found '{token.text}', expected: {_BINARY_NAMES}")
        return operator

    def _value(self) -> str:
        if self._next.text in (END, ","):
            return ""
        token = self._take()
        if not token.is_identifier:
            raise _Unparsable(f"found '{token.text}', expected: identifier")
        return token.text

    def _set(self) -> tuple[str, ...]:
        opening = self._take()
        if opening.text != "(":
            raise _Unparsable(f"found '{opening.text}' expected: '('")
        first = self._next
        if not first.is_identifier and first.text not in (",", ")"):
            raise _Unparsable(f"found '{first.text}', expected: ',', ')' or identifier")
        values = {self._element()}
        while self._take().text == ",":
            values.add(self._element())
        return tuple(sorted(values))

    def _element(self) -> str:
        """A value, empty if there is none between two separators."""
        if self._next.text in (",", ")"):
            return ""
        token = self._take()
        if not token.is_identifier:
            raise _Unparsable(f"found '{token.text}', expected: ',', or identifier")
        if self._next.text not in (",", ")"):
            raise _Unparsable(f"found '{self._next.text}', expected: ',' or ')'")
        return token.text


def _nowhere(value: str, detail: str) -> FieldError:
    return invalid_value("<nil>", value, detail)
