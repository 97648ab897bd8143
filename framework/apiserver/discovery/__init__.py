"""What the server tells about itself: groups, versions and resources, its own version, its health.

Guarantees: documents, order and headers as the real server has them, for the resources given; entity tags that change
exactly when a document does; documents are built when first asked for, and kept.
Not guaranteed: YAML or Kubernetes protobuf (406); aggregated discovery in versions before v2 (406, as the real server).
"""

from framework.apiserver.discovery.accept import MediaRange, media_ranges
from framework.apiserver.discovery.documents import DiscoveryDocuments, Document
from framework.apiserver.discovery.endpoints import DiscoveryEndpoints
from framework.apiserver.discovery.health import HealthCheck, HealthChecks
from framework.apiserver.discovery.order import in_order_of_preference
from framework.apiserver.discovery.version import GIT_VERSION, version_document

__all__ = [
    "GIT_VERSION",
    "DiscoveryDocuments",
    "DiscoveryEndpoints",
    "Document",
    "HealthCheck",
    "HealthChecks",
    "MediaRange",
    "in_order_of_preference",
    "media_ranges",
    "version_document",
]
