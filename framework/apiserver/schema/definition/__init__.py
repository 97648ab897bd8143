"""What a CustomResourceDefinition must obey, and what is filled in where it says nothing.

Guarantees: errors have the paths, types and words of the real API server, which reports what all versions share under
`spec.validation`, `spec.subresources` and the like, although it is written under each version.
Not guaranteed: that rules whose estimated cost is too high are refused.
"""

from framework.apiserver.schema.definition.defaulting import default_definition
from framework.apiserver.schema.definition.validation import validate_definition, validate_definition_update
from framework.apiserver.schema.definition.warnings import definition_warnings

__all__ = ["default_definition", "definition_warnings", "validate_definition", "validate_definition_update"]
