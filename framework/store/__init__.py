"""Holds what an informer knows of one resource: bytes, decoded when somebody looks.

Guarantees: an object never goes back to an older version by an event; a
replacement yields exactly the differences; index and objects agree.
Not guaranteed: that the content is what the server has now.
"""

from framework.store.change import Change
from framework.store.entry import Entry, Envelope, decode_envelope
from framework.store.selectors import LabelSelector
from framework.store.store import IndexFunction, Store
from framework.store.transform import Transform, drop_managed_fields, transformed

__all__ = [
    "Change",
    "Entry",
    "Envelope",
    "IndexFunction",
    "LabelSelector",
    "Store",
    "Transform",
    "decode_envelope",
    "drop_managed_fields",
    "transformed",
]
