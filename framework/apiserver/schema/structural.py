"""The schema of one version of a custom resource, compiled."""

from collections.abc import Mapping, Sequence
from typing import Any

from framework.apiserver.fields import FieldError, FieldProblem, invalid_value
from framework.apiserver.objects import Object
from framework.apiserver.schema import paths
from framework.apiserver.schema.compiled_rule import CompileExpression, default_compiler
from framework.apiserver.schema.correlation import Correlation
from framework.apiserver.schema.defaulting import compile_defaults
from framework.apiserver.schema.embedded import compile_embedded
from framework.apiserver.schema.embedded_metadata import coerce_metadata
from framework.apiserver.schema.json_schema import parse_schema
from framework.apiserver.schema.list_types import compile_list_types
from framework.apiserver.schema.pruning import Pruner
from framework.apiserver.schema.quick import compile_check
from framework.apiserver.schema.rules import Unchanged, compile_rules
from framework.apiserver.schema.values import value_errors

# After these the rules are not evaluated: they may rely on what the schema promises.
_BLOCKING = frozenset(
    {
        FieldProblem.NOT_SUPPORTED,
        FieldProblem.REQUIRED,
        FieldProblem.TOO_LONG,
        FieldProblem.TOO_MANY,
        FieldProblem.TYPE_INVALID,
    }
)
_RULES_SKIPPED = invalid_value(
    paths.NOWHERE,
    None,
    "some validation rules were not checked because the object was invalid; "
    "correct the existing errors to complete validation",
)


class StructuralSchema:
    """Made once for each version of a CustomResourceDefinition; safe for use by many threads.

    *json_schema* is the openAPIV3Schema, which must be structural. With *preserve_unknown*, nothing is pruned.
    """

    def __init__(
        self,
        json_schema: Mapping[str, Any],
        *,
        preserve_unknown: bool = False,
        compile_expression: CompileExpression | None = None,
    ) -> None:
        schema = parse_schema(json_schema)
        self._schema = schema
        self._keeps_unknown = preserve_unknown
        self._pruner = Pruner(schema, is_resource=True)
        self._embedded = compile_embedded(schema)
        self._fill = compile_defaults(schema)
        self._is_valid = compile_check(schema)
        self._list_errors = compile_list_types(schema)
        self._rules = compile_rules(schema, compile_expression or default_compiler(), is_root=True)
        self._status = (schema.properties or {}).get("status")
        self._is_valid_status = compile_check(self._status) if self._status is not None else None

    def prune(self, obj: Object) -> list[str]:
        """Drop in place what the schema does not know; return the paths, as strict decoding names them.

        Of metadata, the object's own and that of embedded resources, empty fields go too, unnamed. Raises BadRequest
        if metadata cannot be read.
        """
        dropped = coerce_metadata(obj, obj, "")
        if not self._keeps_unknown:
            dropped += self._pruner.prune(obj)
        return dropped if self._embedded is None else dropped + self._embedded.coerce(obj)

    def default(self, obj: Object) -> None:
        """Fill in defaults in place, also for nulls that are not allowed; such nulls without a default are dropped."""
        self._fill(obj)

    def validate(self, obj: Object, earlier: Sequence[FieldError] = ()) -> list[FieldError]:
        """After *earlier* errors, rules may not be evaluated."""
        errors = [] if self._is_valid(obj) else value_errors(self._schema, obj)
        errors += self._embedded_errors(obj)
        if self._list_errors is not None:
            errors += self._list_errors(obj, "")
        return errors + self._rule_errors([*earlier, *errors], obj, None)

    def validate_update(self, new: Object, old: Object) -> list[FieldError]:
        """What has not changed may stay invalid."""
        errors = []
        if not self._is_valid(new):
            errors = value_errors(self._schema, new, correlation=Correlation(new, old, self._schema))
        errors += self._embedded_errors(new) + self._new_list_errors(new, old)
        return errors + self._rule_errors(errors, new, old)

    def validate_status_update(self, new: Object, old: Object) -> list[FieldError]:
        """As `validate_update`, for a write to the status subresource."""
        errors = self._status_errors(new, old) + self._new_list_errors(new, old)
        return errors + self._rule_errors(errors, new, old)

    def _status_errors(self, new: Object, old: Object) -> list[FieldError]:
        if self._status is None or self._is_valid_status is None or "status" not in new:
            return []
        status = new["status"]
        if self._is_valid_status(status):
            return []
        return value_errors(self._status, status, "status", Correlation(status, old.get("status"), self._status))

    def _embedded_errors(self, obj: Object) -> list[FieldError]:
        return [] if self._embedded is None else self._embedded.errors(obj)

    def _new_list_errors(self, new: Object, old: Object) -> list[FieldError]:
        if self._list_errors is None:
            return []
        found = self._list_errors(new, "")
        # Once an object has such an error anywhere, no further one is looked for.
        return [] if found and self._list_errors(old, "") else found

    def _rule_errors(self, errors: list[FieldError], new: Object, old: Object | None) -> list[FieldError]:
        if self._rules is None:
            return []
        if any(error.problem in _BLOCKING for error in errors):
            return [_RULES_SKIPPED]
        unchanged = None if old is None else Unchanged(Correlation(new, old, self._schema))
        return self._rules.errors(new, old, "", unchanged)
