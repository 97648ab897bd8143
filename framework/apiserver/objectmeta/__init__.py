"""The metadata that all kinds have: what it must look like, and what of it may change.

Guarantees: the errors of the real server, in its words and order, for metadata of the right types.
Not guaranteed: that the fields have the right types (schemas see to that); an order among the entries of a map, which
the real server tells in a random one.
"""

from framework.apiserver.objectmeta.finalizers import finalizer_warnings
from framework.apiserver.objectmeta.names import (
    NameRule,
    dns_1035_name,
    label_name,
    path_segment_name,
    subdomain_name,
)
from framework.apiserver.objectmeta.validation import validate_change, validate_name, validate_new, validate_update

__all__ = [
    "NameRule",
    "dns_1035_name",
    "finalizer_warnings",
    "label_name",
    "path_segment_name",
    "subdomain_name",
    "validate_change",
    "validate_name",
    "validate_new",
    "validate_update",
]
