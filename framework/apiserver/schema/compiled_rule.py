"""One rule of `x-kubernetes-validations`, ready to be evaluated."""

from collections.abc import Callable, Mapping
from typing import Any, Protocol, TypeAlias

from framework.apiserver.cel import CelCompiler, CelError, Optional
from framework.apiserver.fields import OMITTED, FieldError, FieldProblem
from framework.apiserver.schema import paths
from framework.apiserver.schema.field_path import FieldPathError, resolve
from framework.apiserver.schema.json_schema import JSONSchema, ValidationRule

_LONGEST_MESSAGE_BYTES = 5 * 1024
_PROBLEMS = {
    "FieldValueForbidden": FieldProblem.FORBIDDEN,
    "FieldValueRequired": FieldProblem.REQUIRED,
    "FieldValueDuplicate": FieldProblem.DUPLICATE,
}


class Program(Protocol):
    @property
    def names(self) -> frozenset[str]:
        """The variables that the expression uses."""

    @property
    def result_type(self) -> str:
        """The static type, as CEL names it."""

    def evaluate(self, values: Mapping[str, Any]) -> Any:
        """Raises CelError."""


# An expression, and the schemas of its variables; `Optional` around one that may be absent. Raises CelError.
CompileExpression: TypeAlias = Callable[[str, Mapping[str, Any]], Program]


def default_compiler() -> CompileExpression:
    """One that remembers the types of the schemas of one definition."""
    return CelCompiler().compile


class CompiledRule:
    """*problem* and *message_problem* say why the rule or its messageExpression cannot be used, if so."""

    __slots__ = ("_field_path", "_message", "_program", "message_problem", "problem", "rule", "uses_old")

    def __init__(
        self, rule: ValidationRule, schema: JSONSchema, variable: Any, compile_expression: CompileExpression
    ) -> None:
        variables = {"self": variable, "oldSelf": Optional(variable) if rule.optional_old_self else variable}
        self.rule = rule
        self.problem = ""
        self.message_problem = ""
        self.uses_old = False
        self._program: Program | None = None
        self._message: Program | None = None
        self._field_path = _normal_path(rule.field_path, schema)
        self._compile(compile_expression, variables)

    def _compile(self, compile_expression: CompileExpression, variables: Mapping[str, Any]) -> None:
        if not self.rule.rule.strip():
            return
        try:
            program = compile_expression(self.rule.rule, variables)
        except CelError as error:
            self.problem = f"compilation failed: {error}"
            return
        if program.result_type != "bool":
            self.problem = "cel expression must evaluate to a bool"
            return
        self._program = program
        self.uses_old = "oldSelf" in program.names
        if self.rule.message_expression:
            self._compile_message(compile_expression, variables)

    def _compile_message(self, compile_expression: CompileExpression, variables: Mapping[str, Any]) -> None:
        try:
            message = compile_expression(self.rule.message_expression, variables)
        except CelError as error:
            self.message_problem = f"messageExpression compilation failed: {error}"
            return
        if message.result_type != "string":
            self.message_problem = "messageExpression must evaluate to a string"
            return
        self._message = message

    def error(self, value: Any, old: Any, path: str, json_type: str) -> FieldError | None:
        """What is wrong with *value*; without an *old* one, rules about changes have nothing to say."""
        if self.problem:
            return _invalid(path, json_type, f"rule compile error: {self.problem}")
        if self._program is None or (self.uses_old and old is None and not self.rule.optional_old_self):
            return None
        try:
            if self._program.evaluate(self._values(value, old)) is True:
                return None
        except CelError as error:
            return _invalid(path, json_type, _evaluation_problem(str(error), self.rule))
        return self._failure(value, old, path, json_type)

    def _values(self, value: Any, old: Any) -> dict[str, Any]:
        if not self.uses_old:
            return {"self": value}
        if self.rule.optional_old_self:
            return {"self": value, "oldSelf": Optional() if old is None else Optional(old)}
        return {"self": value, "oldSelf": old}

    def _failure(self, value: Any, old: Any, path: str, json_type: str) -> FieldError:
        place = paths.child(path, self._field_path) if self._field_path else path
        problem = _PROBLEMS.get(self.rule.reason or "", FieldProblem.INVALID)
        shown = OMITTED if json_type in ("object", "array") else value
        # A duplicate is reported without words, as the API server does.
        detail = "" if problem is FieldProblem.DUPLICATE else self._words(value, old)
        return FieldError(problem, paths.spelled(place), shown, detail)

    def _words(self, value: Any, old: Any) -> str:
        return self._evaluated_message(value, old) or _message(self.rule) or f"failed rule: {_spelled(self.rule)}"

    def _evaluated_message(self, value: Any, old: Any) -> str:
        """Nothing if it cannot be evaluated or is no message; then the constant one counts."""
        if self._message is None:
            return ""
        try:
            text = self._message.evaluate({"self": value, "oldSelf": old} if old is not None else {"self": value})
        except CelError:
            return ""
        trimmed = text.strip() if isinstance(text, str) else ""
        is_usable = "\n" not in trimmed and len(trimmed.encode()) <= _LONGEST_MESSAGE_BYTES
        return trimmed if is_usable else ""


def _normal_path(path: str, schema: JSONSchema) -> str:
    try:
        return resolve(path, schema)[0] if path else ""
    except FieldPathError:
        return ""


def _message(rule: ValidationRule) -> str:
    return rule.message.strip()


def _spelled(rule: ValidationRule) -> str:
    return _message(rule) or rule.rule.strip()


def _evaluation_problem(problem: str, rule: ValidationRule) -> str:
    if problem.startswith("no such overload"):
        explained = "call arguments did not match a supported operator, function or macro signature"
        return f"'{problem}': {explained} for rule: {_spelled(rule)}"
    if problem.startswith("operation cancelled: actual cost limit exceeded"):
        return (
            f"'{problem}': no further validation rules will be run due to call cost exceeds limit "
            f"for rule: {_spelled(rule)}"
        )
    return f"{problem} evaluating rule: {_spelled(rule)}"


def _invalid(path: str, json_type: str, detail: str) -> FieldError:
    return FieldError(FieldProblem.INVALID, paths.spelled(path), json_type, detail)
