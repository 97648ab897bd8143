"""Events, whose fields have other names in each of the two groups that serve them."""

from collections.abc import Sequence
from typing import Any

import msgspec

from framework.apiserver.objects import Object
from framework.apiserver.resource import Column
from framework.apiserver.tables.durations import age
from framework.apiserver.tables.printer import FunctionTable, wide
from framework.apiserver.tables.reading import name_of, number_at, text_at

_COLUMNS = (
    Column("Last Seen", description="Time since the event was seen last."),
    Column("Type", description="Normal or Warning."),
    Column("Reason", description="Why the event was made, in one word."),
    Column("Object", description="What the event is about."),
    wide("Subobject", "Which part of the object it is about."),
    wide("Source", "Who made the event."),
    Column("Message", description="What happened."),
    wide("First Seen", "Time since the event was seen first."),
    wide("Count", "How often it happened."),
    Column("Name", format="name", description="Name of the event.", priority=1),
)


class _Names(msgspec.Struct, frozen=True):
    about: str
    message: str
    source: str
    first: str
    last: str
    count: str
    controller: str


_CORE = _Names("involvedObject", "message", "source", "firstTimestamp", "lastTimestamp", "count", "reportingComponent")
_EVENTS = _Names(
    "regarding",
    "note",
    "deprecatedSource",
    "deprecatedFirstTimestamp",
    "deprecatedLastTimestamp",
    "deprecatedCount",
    "reportingController",
)


def _cells(obj: Object, now: float, names: _Names) -> Sequence[Any]:
    first = age(obj.get(names.first) or obj.get("eventTime"), now)
    last = age(obj[names.last], now) if obj.get(names.last) else first
    # An event of the newer kind that happened once has no count.
    count = number_at(obj, names.count) or 1
    if series := obj.get("series"):
        last = age(series.get("lastObservedTime"), now)
        count = number_at(series, "count")
    return (
        last,
        text_at(obj, "type"),
        text_at(obj, "reason"),
        _target(obj.get(names.about) or {}),
        text_at(obj, names.about, "fieldPath"),
        _source(obj, names),
        text_at(obj, names.message).strip(),
        first,
        count,
        name_of(obj),
    )


def _target(about: Object) -> str:
    kind, name = text_at(about, "kind").lower(), text_at(about, "name")
    return f"{kind}/{name}" if name else kind


def _source(obj: Object, names: _Names) -> str:
    component = text_at(obj, names.source, "component") or text_at(obj, names.controller)
    instance = text_at(obj, names.source, "host") or text_at(obj, "reportingInstance")
    return f"{component}, {instance}" if instance else component


CORE_EVENTS = FunctionTable(_COLUMNS, lambda obj, now: _cells(obj, now, _CORE))
EVENTS = FunctionTable(_COLUMNS, lambda obj, now: _cells(obj, now, _EVENTS))
