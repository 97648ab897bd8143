"""Makes CustomResourceDefinitions from the Structs that `apis.meta.kind` declared kinds.

Guarantees: the schema is structural; the same types give the same bytes;
a type that the server would refuse, or could not enforce as Python does,
fails here with one line that names the class and the field.
Not guaranteed: that the CEL in a rule compiles; only the server knows.
The rules by which a type becomes a schema: docs/decisions/0003-crd-generation.md.
"""

from apis.schema.crd import crd_of, crds_of
from apis.schema.document import to_yaml
from apis.schema.errors import SchemaError
from apis.schema.files import difference, file_name, render, write

__all__ = ["SchemaError", "crd_of", "crds_of", "difference", "file_name", "render", "to_yaml", "write"]
