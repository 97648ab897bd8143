"""spec.names, spec.group and metadata.name."""

from framework.apiserver.fields import FieldError, invalid_value, required
from framework.apiserver.objectmeta.names import dns_1035_label_problems, dns_subdomain_problems
from framework.apiserver.schema.definition.model import Definition, Names


def definition_name_errors(definition: Definition) -> list[FieldError]:
    """The name rule of this kind; that there is a name at all is everybody's business."""
    name, spec = definition.metadata.name, definition.spec
    if not name or name == f"{spec.names.plural}.{spec.group}":
        return []
    return [invalid_value("metadata.name", name, 'must be spec.names.plural+"."+spec.group')]


def group_errors(group: str) -> list[FieldError]:
    if not group:
        return [required("spec.group")]
    if problems := dns_subdomain_problems(group):
        return [invalid_value("spec.group", group, ",".join(problems))]
    if "." not in group:
        return [invalid_value("spec.group", group, "should be a domain with at least one dot")]
    return []


def required_name_errors(names: Names, path: str) -> list[FieldError]:
    wanted = {"plural": names.plural, "singular": names.singular, "kind": names.kind, "listKind": names.list_kind}
    return [required(f"{path}.{name}") for name, value in wanted.items() if not value]


def name_errors(names: Names, path: str) -> list[FieldError]:
    errors = _label_errors(names.plural, f"{path}.plural") + _label_errors(names.singular, f"{path}.singular")
    errors += _kind_errors(names.kind, f"{path}.kind") + _kind_errors(names.list_kind, f"{path}.listKind")
    for at, short_name in enumerate(names.short_names or ()):
        errors += _label_errors(short_name, f"{path}.shortNames[{at}]", is_optional=False)
    if names.kind and names.kind == names.list_kind:
        errors.append(invalid_value(f"{path}.listKind", names.list_kind, "kind and listKind may not be the same"))
    for at, category in enumerate(names.categories or ()):
        errors += _label_errors(category, f"{path}.categories[{at}]", is_optional=False)
    return errors


def _label_errors(value: str, path: str, *, is_optional: bool = True) -> list[FieldError]:
    problems = dns_1035_label_problems(value) if value or not is_optional else ()
    return [invalid_value(path, value, ",".join(problems))] if problems else []


def _kind_errors(value: str, path: str) -> list[FieldError]:
    problems = dns_1035_label_problems(value.lower()) if value else ()
    mixed = "may have mixed case, but should otherwise match: "
    return [invalid_value(path, value, mixed + ",".join(problems))] if problems else []
