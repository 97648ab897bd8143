"""Checks the CEL rules of one node: their form, and that their cost has a limit.

The server adds up what a rule can cost at worst and refuses the CRD above a budget. A text, list or map without a
limit counts as large as a whole request, so all that a rule reads must be limited.
"""

from collections.abc import Iterator

from apis.schema.cel import escaped, fields_of, is_transition, reads_all, steps_of
from apis.schema.errors import SchemaError
from apis.schema.node import PRESERVE, Schema

_REASONS = ("FieldValueInvalid", "FieldValueForbidden", "FieldValueRequired", "FieldValueDuplicate")
_LIMITED_FORMATS = frozenset({"date", "date-time", "duration"})


def check_rules(rules: list[dict[str, str]], schema: Schema, path: str, uncorrelatable_above: str) -> None:
    for rule in rules:
        fault = _form_fault(rule, schema, uncorrelatable_above)
        if fault:
            raise SchemaError(f"{path}: the rule {rule['rule']!r} {fault}")
        _check_cost(rule, schema, path)


def _form_fault(rule: dict[str, str], schema: Schema, uncorrelatable_above: str) -> str:
    if not rule["rule"].strip():
        return "is empty"
    if "\n" in rule.get("message", "") or not ({"message", "messageExpression"} & rule.keys()):
        return "needs a message of one line, which names the field and says what is allowed"
    if rule.get("reason", _REASONS[0]) not in _REASONS:
        return f"has the reason {rule['reason']}; possible are {', '.join(_REASONS)}"
    if "fieldPath" in rule and not _leads_somewhere(rule["fieldPath"], schema):
        return f"has the fieldPath {rule['fieldPath']}, which leads to no field; write .name or ['odd-name']"
    return _transition_fault(rule, uncorrelatable_above)


def _transition_fault(rule: dict[str, str], uncorrelatable_above: str) -> str:
    if not is_transition(rule["rule"]):
        return "has optional_old_self but no oldSelf" if "optionalOldSelf" in rule else ""
    if uncorrelatable_above:
        return f"uses oldSelf, but what {uncorrelatable_above} contains has no identity; make it a list_map(…)"
    return ""


def _leads_somewhere(field_path: str, schema: Schema) -> bool:
    steps = steps_of(field_path)
    if steps is None:
        return False
    for step in steps:
        if step not in schema.get("properties", {}):
            return False
        schema = schema["properties"][step]
    return True


def _check_cost(rule: dict[str, str], schema: Schema, path: str) -> None:
    read = f"{rule['rule']} {rule.get('messageExpression', '')}"
    names = None if reads_all(read) else fields_of(read)
    for unlimited in _unlimited(schema, path, names):
        raise SchemaError(f"{unlimited}: the rule {rule['rule']!r} reads it, so it needs Meta(max_length=…)")


def _unlimited(schema: Schema, path: str, names: frozenset[str] | None) -> Iterator[str]:
    """Paths of what has no limit, among the fields called *names*, or among all if it is None."""
    if _has_no_limit(schema):
        yield path
    for name, child in schema.get("properties", {}).items():
        if names is None or escaped(name) in names:
            yield from _unlimited(child, f"{path}.{name}", names)
    if "items" in schema:
        yield from _unlimited(schema["items"], f"{path}[]", names)
    if "additionalProperties" in schema:
        yield from _unlimited(schema["additionalProperties"], f"{path}{{}}", names)


def _has_no_limit(schema: Schema) -> bool:
    match schema.get("type"):
        case "string":
            has_limit = "maxLength" in schema or "enum" in schema or schema.get("format") in _LIMITED_FORMATS
            return not has_limit
        case "array":
            return "maxItems" not in schema
        case "object":
            is_map = "additionalProperties" in schema and not schema.get(PRESERVE)
            return is_map and "maxProperties" not in schema
        case _:
            return False
