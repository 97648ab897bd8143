"""managedFields: who owns which field of an object, and server-side apply on top of it.

Guarantees: for the same writes, the same entries, the same objects and the same conflicts as the real server; a write
that changes little costs little, whatever the size of the object; what callers pass in stays as it is, except for
`metadata.managedFields` of the object that an update is about.
Not guaranteed: defaults (an apply merges, and its caller fills in defaults), and the checks of a request's own
apiVersion and kind (`check_applied` has them).
"""

from framework.apiserver.managedfields.manager import SchemaFieldManager
from framework.apiserver.managedfields.node import Node
from framework.apiserver.managedfields.refusals import check_applied, group_version_kind, identified
from framework.apiserver.managedfields.scale import ScaleFieldManager
from framework.apiserver.managedfields.schema import ANYTHING, schema_from_json
from framework.apiserver.managedfields.times import keep_times_if_unchanged

__all__ = [
    "ANYTHING",
    "Node",
    "ScaleFieldManager",
    "SchemaFieldManager",
    "check_applied",
    "group_version_kind",
    "identified",
    "keep_times_if_unchanged",
    "schema_from_json",
]
