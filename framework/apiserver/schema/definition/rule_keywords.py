"""x-kubernetes-validations: whether the rules are complete and can be compiled."""

import re

from framework.apiserver.fields import FieldError, FieldProblem, invalid_value, required, unsupported
from framework.apiserver.schema.compiled_rule import CompiledRule, CompileExpression
from framework.apiserver.schema.definition.spelling import spelled_rule
from framework.apiserver.schema.field_path import FieldPathError, resolve
from framework.apiserver.schema.json_schema import JSONSchema, ValidationRule
from framework.apiserver.schema.rules import is_visible, own_rules

_REASONS = ["FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"]
_NO_TYPE = (
    "internal error: failed to construct type information for x-kubernetes-validations rules: "
    "unable to convert structural schema to CEL declarations"
)
_has_line_break = re.compile(r"[\n\r]").search


def rule_keyword_errors(schema: JSONSchema, path: str) -> list[FieldError]:
    errors = []
    for at, rule in enumerate(schema.rules or ()):
        place = f"{path}.x-kubernetes-validations[{at}]"
        errors += _text_errors(rule, place) + _field_path_errors(rule, schema, f"{place}.fieldPath")
        if rule.reason is not None and rule.reason not in _REASONS:
            errors.append(unsupported(f"{place}.reason", rule.reason, _REASONS))
    return errors


def compile_errors(
    schema: JSONSchema, path: str, compile_expression: CompileExpression, *, is_root: bool, uncorrelated: str
) -> list[FieldError]:
    place = f"{path}.x-kubernetes-validations"
    if not is_visible(schema):
        return [FieldError(FieldProblem.INTERNAL, place, detail=_NO_TYPE)]
    errors = []
    for at, compiled in enumerate(own_rules(schema, compile_expression, is_root=is_root)):
        errors += _compile_errors(compiled, f"{place}[{at}]", uncorrelated)
    return errors


def _text_errors(rule: ValidationRule, path: str) -> list[FieldError]:
    errors = []
    text, message = rule.rule.strip(), rule.message.strip()
    if not text:
        errors.append(required(f"{path}.rule", "rule is not specified"))
    elif rule.message and not message:
        errors.append(invalid_value(f"{path}.message", rule.message, "must be non-empty if specified"))
    elif _has_line_break(message):
        errors.append(invalid_value(f"{path}.message", rule.message, "must not contain line breaks"))
    elif _has_line_break(text) and not message:
        errors.append(required(f"{path}.message", "message must be specified if rule contains line breaks"))
    if rule.message_expression and not rule.message_expression.strip():
        detail = "messageExpression must be non-empty if specified"
        errors.append(required(f"{path}.messageExpression", detail))
    return errors


def _field_path_errors(rule: ValidationRule, schema: JSONSchema, path: str) -> list[FieldError]:
    if not rule.field_path:
        return []
    errors = []
    if not rule.field_path.strip():
        errors.append(invalid_value(path, rule.field_path, "must be non-empty if specified"))
    if _has_line_break(rule.field_path):
        errors.append(invalid_value(path, rule.field_path, "must not contain line breaks"))
    try:
        resolve(rule.field_path, schema)
    except FieldPathError:
        errors.append(invalid_value(path, rule.field_path, "must be a valid path"))
    return errors


def _compile_errors(compiled: CompiledRule, path: str, uncorrelated: str) -> list[FieldError]:
    errors = []
    rule = compiled.rule
    if compiled.problem:
        errors.append(invalid_value(f"{path}.rule", spelled_rule(rule), compiled.problem))
    if compiled.message_problem:
        errors.append(invalid_value(f"{path}.messageExpression", spelled_rule(rule), compiled.message_problem))
    if compiled.uses_old and uncorrelated:
        detail = f"oldSelf cannot be used on the uncorrelatable portion of the schema within {uncorrelated}"
        errors.append(invalid_value(f"{path}.rule", rule.rule, detail))
    if not compiled.uses_old and rule.optional_old_self is not None:
        detail = "may not be set if oldSelf is not used in rule"
        errors.append(invalid_value(f"{path}.optionalOldSelf", rule.optional_old_self, detail))
    return errors
