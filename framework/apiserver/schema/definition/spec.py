"""spec and status of a definition."""

from framework.apiserver.fields import FieldError, forbidden_field, invalid_value, required, unsupported
from framework.apiserver.objectmeta.names import dns_1035_label_problems
from framework.apiserver.schema.definition.conversion import conversion_errors
from framework.apiserver.schema.definition.defaults import DefaultRules, default_errors
from framework.apiserver.schema.definition.model import Spec, Status, Subresources, Version, VersionSchema, common
from framework.apiserver.schema.definition.names import group_errors, name_errors, required_name_errors
from framework.apiserver.schema.definition.openapi import openapi_errors
from framework.apiserver.schema.definition.options import Options
from framework.apiserver.schema.definition.presentation import (
    column_errors,
    selectable_field_errors,
    subresource_errors,
)
from framework.apiserver.schema.definition.spelling import spelled_schema, spelled_versions
from framework.apiserver.schema.definition.structure import structural_errors, unsupported_keyword
from framework.apiserver.schema.json_schema import JSONSchema

_SCOPES = ["Cluster", "Namespaced"]
_LONGEST_WARNING_BYTES = 256
# What may stand at the root of a schema with a status subresource, whose schema is taken out of it.
_AT_ROOT = (
    "description",
    "type",
    "format",
    "title",
    "maximum",
    "exclusive_maximum",
    "minimum",
    "exclusive_minimum",
    "max_length",
    "min_length",
    "pattern",
    "max_items",
    "min_items",
    "unique_items",
    "multiple_of",
    "required",
    "items",
    "properties",
    "external_docs",
    "example",
    "preserve_unknown",
    "rules",
)
_AT_ROOT_SPELLED = (
    "[Description Type Format Title Maximum ExclusiveMaximum Minimum ExclusiveMinimum MaxLength MinLength Pattern "
    "MaxItems MinItems UniqueItems MultipleOf Required Items Properties ExternalDocs Example XPreserveUnknownFields "
    "XValidations]"
)


def spec_errors(spec: Spec, options: Options) -> list[FieldError]:
    errors = group_errors(spec.group)
    if spec.scope not in _SCOPES:
        errors.append(unsupported("spec.scope", spec.scope, _SCOPES) if spec.scope else required("spec.scope"))
    errors += required_name_errors(spec.names, "spec.names") + name_errors(spec.names, "spec.names")
    for at, version in enumerate(spec.versions):
        errors += _version_errors(version, f"spec.versions[{at}]", options)
    errors += _common_errors(spec, options) + _version_list_errors(spec)
    return errors + conversion_errors(spec, options)


def status_errors(status: Status, spec: Spec) -> list[FieldError]:
    path = "status.storedVersions"
    errors = name_errors(status.accepted_names, "status.acceptedNames")
    stored = status.stored_versions
    if not stored:
        return [*errors, invalid_value(path, stored, "must have at least one stored version")]
    # A version that comes twice counts once, so that the second one is missing.
    unseen = {name: at for at, name in enumerate(stored)}
    for version in spec.versions:
        if unseen.pop(version.name, None) is None and version.storage:
            errors.append(invalid_value(path, stored, f"must have the storage version {version.name}"))
    for name, at in unseen.items():
        detail = (
            f"missing from spec.versions; {name} was previously a storage version, and must remain in "
            "spec.versions until a storage migration ensures no data remains persisted in "
            f"{name} and removes {name} from status.storedVersions"
        )
        errors.append(invalid_value(f"{path}[{at}]", name, detail))
    return errors


def _common_errors(spec: Spec, options: Options) -> list[FieldError]:
    """What all versions share is reported once, above them: that is where the API server keeps it."""
    versions = spec.versions
    errors = []
    schema = common([version.schema for version in versions])
    if schema is not None:
        has_status = any(_has_status(version.subresources) for version in versions)
        errors += schema_errors(schema, "spec.validation", options, has_status=has_status)
    subresources = common([version.subresources for version in versions])
    errors += subresource_errors(subresources, "spec.subresources")
    columns = common([version.additional_printer_columns for version in versions])
    errors += column_errors(columns, "spec.additionalPrinterColumns")
    if fields := common([version.selectable_fields for version in versions]):
        path = "spec.selectableFields"
        if schema is None or schema.openapi is None:
            errors.append(invalid_value(path, "", "may only be set when validations.schema is included"))
        else:
            may_be_many = "" in options.with_many_selectable_fields
            errors += selectable_field_errors(fields, schema.openapi, path, may_be_many=may_be_many)
    return errors + _own_errors(spec, options)


def _own_errors(spec: Spec, options: Options) -> list[FieldError]:
    errors = []
    versions = spec.versions
    shares_schema = common([version.schema for version in versions]) is not None
    shares_subresources = common([version.subresources for version in versions]) is not None
    shares_columns = common([version.additional_printer_columns for version in versions]) is not None
    shares_fields = common([version.selectable_fields for version in versions]) is not None
    for at, version in enumerate(versions):
        path = f"spec.versions[{at}]"
        if not shares_schema and version.schema is not None:
            has_status = _has_status(version.subresources)
            errors += schema_errors(version.schema, f"{path}.schema", options, has_status=has_status)
        if not shares_subresources:
            errors += subresource_errors(version.subresources, f"{path}.subresources")
        if not shares_columns:
            errors += column_errors(version.additional_printer_columns, f"{path}.additionalPrinterColumns")
        if not shares_fields and version.selectable_fields:
            errors += _selectable_errors(version, path, options, shares_schema=shares_schema)
    return errors


def _selectable_errors(version: Version, path: str, options: Options, *, shares_schema: bool) -> list[FieldError]:
    place = f"{path}.selectableFields"
    schema = version.schema.openapi if version.schema is not None and not shares_schema else None
    if schema is None:
        detail = "may only be set when `version.schema.openAPIV3Schema` is not included"
        return [invalid_value(place, "", detail)]
    may_be_many = version.name in options.with_many_selectable_fields
    return selectable_field_errors(version.selectable_fields or [], schema, place, may_be_many=may_be_many)


def _version_errors(version: Version, path: str, options: Options) -> list[FieldError]:
    errors = []
    if problems := dns_1035_label_problems(version.name):
        errors.append(invalid_value(f"{path}.name", version.name, ",".join(problems)))
    if (version.schema is None or version.schema.openapi is None) and (options.needs_schema or version.served):
        detail = "" if options.needs_schema else "because otherwise all fields are pruned"
        errors.append(required(f"{path}.schema.openAPIV3Schema", detail))
    place = f"{path}.deprecationWarning"
    problems_of_warning = _deprecation_problems(version)
    return errors + [invalid_value(place, version.deprecation_warning, problem) for problem in problems_of_warning]


def _deprecation_problems(version: Version) -> list[str]:
    warning = version.deprecation_warning
    if warning is None:
        return []
    if not version.deprecated:
        return ["can only be set for deprecated versions"]
    problems = []
    if len(warning.encode()) > _LONGEST_WARNING_BYTES:
        problems.append(f"must be <= {_LONGEST_WARNING_BYTES} characters long")
    if not warning:
        problems.append("must not be an empty string")
    unprintable = next((at for at, one in enumerate(warning) if not one.isprintable()), None)
    if unprintable is not None:
        at = len(warning[:unprintable].encode())
        problems.append(f"must only contain printable UTF-8 characters; non-printable character found at index {at}")
    return problems


def _version_list_errors(spec: Spec) -> list[FieldError]:
    errors = []
    versions = spec.versions
    names = [version.name for version in versions]
    if len(set(names)) != len(names):
        errors.append(invalid_value("spec.versions", _spelled(versions), "must contain unique version names"))
    if sum(version.storage for version in versions) != 1:
        detail = "must have exactly one version marked as storage version"
        errors.append(invalid_value("spec.versions", _spelled(versions), detail))
    if names and names[0] and (problems := dns_1035_label_problems(names[0])):
        errors.append(invalid_value("spec.version", names[0], ",".join(problems)))
    return errors


def _spelled(versions: list[Version]) -> str:
    fields = ("schema", "subresources", "additional_printer_columns", "selectable_fields")
    shared = [one for one in fields if common([getattr(version, one) for version in versions]) is not None]
    return spelled_versions(versions, above=shared)


def _has_status(subresources: Subresources | None) -> bool:
    return subresources is not None and subresources.status is not None


def schema_errors(schema: VersionSchema, path: str, options: Options, *, has_status: bool) -> list[FieldError]:
    document = schema.openapi
    if document is None:
        return []
    place = f"{path}.openAPIV3Schema"
    errors = _root_errors(document, place) if has_status else []
    if document.nullable:
        errors.append(forbidden_field(f"{place}.nullable", "nullable cannot be true at the root"))
    unsupported_reason = unsupported_keyword(document)
    structural = [] if unsupported_reason else _structural_or_default_errors(document, place, options)
    errors += structural
    errors += openapi_errors(document, place, options, has_rules=not (unsupported_reason or structural))
    if unsupported_reason and not errors:
        errors.append(invalid_value(place, "", unsupported_reason))
    return errors


def _structural_or_default_errors(schema: JSONSchema, path: str, options: Options) -> list[FieldError]:
    if errors := structural_errors(schema, path):
        return errors
    judge = DefaultRules(options.compile_expression, must_be_pruned=options.needs_pruned_defaults)
    return default_errors(schema, path, judge)


def _root_errors(schema: JSONSchema, path: str) -> list[FieldError]:
    blank = JSONSchema()
    for name in schema.__struct_fields__:
        if getattr(schema, name) == getattr(blank, name):
            continue
        if name == "type" and schema.type != "object":
            detail = (
                'only "object" is allowed as the type at the root of the schema if the status subresource is enabled'
            )
            return [invalid_value(f"{path}.type", schema.type, detail)]
        if name not in _AT_ROOT:
            detail = (
                f"only {_AT_ROOT_SPELLED} fields are allowed at the root of the schema "
                "if the status subresource is enabled"
            )
            return [invalid_value(path, spelled_schema(schema), detail)]
    return []
