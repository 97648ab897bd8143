"""What the API server says in Warning headers about a definition that it takes all the same."""

from framework.apiserver.objects import Object
from framework.apiserver.schema.definition.model import Definition, parse_definition
from framework.apiserver.schema.formats import is_recognized
from framework.apiserver.spelling import spelled_string


def definition_warnings(new: Object, old: Object | None = None) -> list[str]:
    """One for each format that values are not checked against; with *old*, for those that are new."""
    known = _unrecognized(parse_definition(old)) if old is not None else []
    formats = [name for name in _unrecognized(parse_definition(new)) if name not in known]
    return [f"unrecognized format {spelled_string(name)}" for name in formats]


def _unrecognized(definition: Definition) -> list[str]:
    # A schema that all versions share counts once.
    schemas = definition.spec.schemas
    different = [schema for at, schema in enumerate(schemas) if schema not in schemas[:at]]
    return [
        inner.format
        for schema in different
        for inner in schema.walk()
        if inner.format and not is_recognized(inner.format, inner.type)
    ]
