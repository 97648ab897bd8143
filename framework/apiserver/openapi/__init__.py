"""The schemas of all resources as OpenAPI documents, which kubectl and helm read.

Guarantees: schemas equal to those of the real server, for built-in and for custom resources; every request that a
resource takes, with its parameters; documents are built when first asked for, and kept; entity tags and the hashes in
the index change exactly when a document does.
Not guaranteed: the wording of parameters; media types other than JSON.
"""

from framework.apiserver.openapi.documents import OpenApiDocuments
from framework.apiserver.openapi.endpoints import OpenApiEndpoints

__all__ = ["OpenApiDocuments", "OpenApiEndpoints"]
