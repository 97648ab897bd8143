"""Holds what an informer knows of one resource: bytes, decoded when somebody looks.

Guarantees: no event brings back an older version of an object, nor, as long as
its deletion is remembered, a deleted object; a replacement yields exactly the
differences; index and objects agree, whatever the index functions do.
Not guaranteed: that the content is what the server has now.
"""

from framework.store.change import Change
from framework.store.entry import Entry, Envelope, decode_envelope, metadata_of
from framework.store.index import IndexFunction
from framework.store.projection import LAST_APPLIED, KeepDeclared, KeepFields, keep_declared, keep_fields
from framework.store.reads import ReadNotes, read_notes, set_read_notes
from framework.store.selectors import LabelSelector, Requirement
from framework.store.store import EventType, Store
from framework.store.transform import Transform, drop_managed_fields, transformed

__all__ = [
    "LAST_APPLIED",
    "Change",
    "Entry",
    "Envelope",
    "EventType",
    "IndexFunction",
    "KeepDeclared",
    "KeepFields",
    "LabelSelector",
    "ReadNotes",
    "Requirement",
    "Store",
    "Transform",
    "decode_envelope",
    "drop_managed_fields",
    "keep_declared",
    "keep_fields",
    "metadata_of",
    "read_notes",
    "set_read_notes",
    "transformed",
]
