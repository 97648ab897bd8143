"""Validates definitions when they are created and when they are changed."""

from collections.abc import Callable

from framework.apiserver.fields import FieldError, invalid_value
from framework.apiserver.objects import Object
from framework.apiserver.schema.compiled_rule import CompileExpression, default_compiler
from framework.apiserver.schema.definition.approval import approval_errors
from framework.apiserver.schema.definition.conversion import has_bad_ca_bundle, has_recognized_review_version
from framework.apiserver.schema.definition.defaults import has_unpruned_defaults
from framework.apiserver.schema.definition.list_keywords import has_composed_set_items, map_key_errors
from framework.apiserver.schema.definition.model import Definition, Spec, common, parse_definition
from framework.apiserver.schema.definition.names import definition_name_errors
from framework.apiserver.schema.definition.openapi import TYPES
from framework.apiserver.schema.definition.options import Options
from framework.apiserver.schema.definition.presentation import MOST_SELECTABLE_FIELDS
from framework.apiserver.schema.definition.spec import spec_errors, status_errors
from framework.apiserver.schema.json_schema import JSONSchema

_IMMUTABLE = "field is immutable"


def validate_definition(crd: Object, *, compile_expression: CompileExpression | None = None) -> list[FieldError]:
    """What is wrong with a new definition, defaulted and with the stored version in its status.

    Raises BadRequest if a field has the wrong JSON type. What all metadata must obey is not looked at.
    """
    definition = parse_definition(crd)
    options = Options(compile_expression=compile_expression or default_compiler())
    errors = definition_name_errors(definition) + spec_errors(definition.spec, options)
    errors += status_errors(definition.status, definition.spec) + approval_errors(definition, None)
    return errors + _preserve_errors(definition.spec, None)


def validate_definition_update(
    new_crd: Object, old_crd: Object, *, compile_expression: CompileExpression | None = None
) -> list[FieldError]:
    """As `validate_definition`; what was wrong before in a way that older servers allowed may stay so."""
    new, old = parse_definition(new_crd), parse_definition(old_crd)
    options = _options_for_update(new, old, compile_expression or default_compiler())
    errors = spec_errors(new.spec, options) + _immutable_errors(new.spec, old.spec, options)
    errors += status_errors(new.status, new.spec) + approval_errors(new, old)
    return errors + _preserve_errors(new.spec, old.spec)


def _options_for_update(new: Definition, old: Definition, compile_expression: CompileExpression) -> Options:
    spec = old.spec
    return Options(
        compile_expression=compile_expression,
        needs_schema=all(one.schema is not None and one.schema.openapi is not None for one in spec.versions),
        needs_known_types=not _any_schema(spec, lambda schema: schema.type not in ("", *TYPES)),
        needs_pruned_defaults=not any(has_unpruned_defaults(schema) for schema in spec.schemas),
        needs_atomic_sets=not _any_schema(spec, has_composed_set_items),
        needs_map_keys=not _any_schema(spec, lambda schema: bool(map_key_errors(schema, ""))),
        needs_recognized_review_version=has_recognized_review_version(spec.conversion),
        has_immutable_names=old.status.is_established,
        may_have_bad_ca_bundle=not old.status.is_established or has_bad_ca_bundle(spec.conversion),
        with_many_selectable_fields=_with_many_selectable_fields(new.spec, spec),
    )


def _with_many_selectable_fields(new: Spec, old: Spec) -> frozenset[str]:
    before = {version.name: version.selectable_fields for version in old.versions}
    many = {
        version.name
        for version in new.versions
        if version.selectable_fields is not None
        and len(version.selectable_fields) > MOST_SELECTABLE_FIELDS
        and before.get(version.name) == version.selectable_fields
    }
    is_shared = common([version.selectable_fields for version in new.versions]) is not None
    return frozenset(many | {""} if is_shared and len(many) == len(new.versions) else many)


def _immutable_errors(new: Spec, old: Spec, options: Options) -> list[FieldError]:
    values = [("group", new.group, old.group), ("names.plural", new.names.plural, old.names.plural)]
    if options.has_immutable_names:
        values += [("scope", new.scope, old.scope), ("names.kind", new.names.kind, old.names.kind)]
    return [invalid_value(f"spec.{name}", value, _IMMUTABLE) for name, value, before in values if value != before]


def _preserve_errors(new: Spec, old: Spec | None) -> list[FieldError]:
    if not new.preserve_unknown_fields or (old is not None and old.preserve_unknown_fields):
        return []
    path = "spec.preserveUnknownFields"
    errors = [
        invalid_value(
            path,
            value=True,
            detail="cannot set to true, set x-kubernetes-preserve-unknown-fields to true "
            "in spec.versions[*].schema instead",
        )
    ]
    if _any_schema(new, lambda schema: schema.default is not None):
        detail = "must be false in order to use defaults in the schema"
        errors.append(invalid_value(path, value=True, detail=detail))
    return errors


def _any_schema(spec: Spec, holds: Callable[[JSONSchema], bool]) -> bool:
    return any(holds(inner) for schema in spec.schemas for inner in schema.walk())
