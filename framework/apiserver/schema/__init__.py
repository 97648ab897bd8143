"""The schemas of custom resources: what is pruned, filled in and refused, as the real API server does it.

Guarantees: one pass over a valid object for each of `prune`, `default` and `validate`; errors have the paths, types
and words of the real server.
Not guaranteed: the order of errors (the real one has none either), and the limits that the real server sets to the
estimated cost of rules.
"""

from framework.apiserver.schema.definition import (
    default_definition,
    definition_warnings,
    validate_definition,
    validate_definition_update,
)
from framework.apiserver.schema.structural import StructuralSchema

__all__ = [
    "StructuralSchema",
    "default_definition",
    "definition_warnings",
    "validate_definition",
    "validate_definition_update",
]
