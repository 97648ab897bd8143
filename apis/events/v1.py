"""Kinds of the group events.k8s.io, version v1."""

from apis.core.v1 import ObjectReference
from apis.meta import ApiStruct, KubeObject, MicroTime, kind


class EventSeries(ApiStruct, frozen=True, kw_only=True):
    """How often the same event came again."""

    count: int = 0
    last_observed_time: MicroTime | None = None


@kind(group="events.k8s.io", version="v1", plural="events", short_names=("ev",), builtin=True)
class Event(KubeObject, frozen=True, kw_only=True):
    # Absent in events of recorders that write to the core group.
    event_time: MicroTime | None = None
    series: EventSeries | None = None
    reporting_controller: str = ""
    reporting_instance: str = ""
    action: str = ""
    reason: str = ""
    regarding: ObjectReference = ObjectReference()
    related: ObjectReference | None = None
    note: str = ""
    type: str = ""
