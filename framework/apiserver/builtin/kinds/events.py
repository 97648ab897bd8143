"""Events, in both groups that serve them. They are kept as those of the core group."""

from collections.abc import Iterable, Mapping
from typing import ClassVar

from framework.apiserver.builtin.strategy import BuiltinStrategy, Selectable, text_at
from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each, immutable
from framework.apiserver.fields import FieldError, invalid_value, required
from framework.apiserver.objects import Object

_MAX_LENGTHS = {"reportingInstance": 128, "action": 128, "reason": 128, "message": 1024}
# Names in events.k8s.io to those in the core group; all other fields have the same name.
_CORE_NAMES = {
    "note": "message",
    "regarding": "involvedObject",
    "reportingController": "reportingComponent",
    "deprecatedSource": "source",
    "deprecatedFirstTimestamp": "firstTimestamp",
    "deprecatedLastTimestamp": "lastTimestamp",
    "deprecatedCount": "count",
}
_NEW_NAMES = {core: new for new, core in _CORE_NAMES.items()}
_REFERENCE_FIELDS = ("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")
# In the order in which the server checks them; controllers of events only add to a series.
_IMMUTABLE = (
    "involvedObject",
    "reason",
    "message",
    "source",
    "firstTimestamp",
    "lastTimestamp",
    "count",
    "type",
    "eventTime",
    "action",
    "related",
    "reportingComponent",
    "reportingInstance",
)


def to_core_event(event: Object) -> Object:
    """*event* of events.k8s.io as one of the core group. Shares all parts."""
    return _renamed(event, _CORE_NAMES, "v1")


def from_core_event(event: Object) -> Object:
    """*event* of the core group as one of events.k8s.io. Shares all parts."""
    return _renamed(event, _NEW_NAMES, "events.k8s.io/v1")


def _renamed(event: Object, names_: Mapping[str, str], api_version: str) -> Object:
    renamed = {names_.get(field, field): value for field, value in event.items()}
    renamed["apiVersion"] = api_version
    return renamed


class CoreEventStrategy(BuiltinStrategy):
    checks_metadata = False
    allows_create_on_update = True
    selectable: ClassVar[Selectable] = {
        **{f"involvedObject.{field}": text_at("involvedObject", field) for field in _REFERENCE_FIELDS},
        "reason": text_at("reason"),
        "reportingComponent": text_at("reportingComponent"),
        "source": lambda event: text_at("source", "component")(event) or text_at("reportingComponent")(event),
        "type": text_at("type"),
    }

    def problems(self, obj: Object) -> Errors:
        return _legacy_problems(obj, "reportingComponent")


class EventStrategy(BuiltinStrategy):
    """Stricter than the older group: nothing but a new-style event is taken."""

    allows_create_on_update = True
    selectable: ClassVar[Selectable] = {
        **{f"regarding.{field}": text_at("regarding", field) for field in _REFERENCE_FIELDS},
        "reason": text_at("reason"),
        "reportingController": text_at("reportingController"),
        "type": text_at("type"),
    }

    def problems(self, obj: Object) -> Errors:
        return _legacy_problems(to_core_event(obj), "reportingController")

    def validate(self, obj: Object) -> list[FieldError]:
        return [*self.problems(obj), *self.metadata_problems(obj), *_strict_problems(to_core_event(obj))]

    def update_problems(self, new: Object, old: Object) -> Iterable[FieldError]:
        after, before = to_core_event(new), to_core_event(old)
        if after.get("series") != before.get("series"):
            yield from _series_problems(after)
        for field in _IMMUTABLE:
            shown = "reportingController" if field == "reportingComponent" else field
            yield from immutable(shown, after.get(field), before.get(field))


def _legacy_problems(event: Object, controller_field: str) -> Errors:
    namespace = event["metadata"].get("namespace", "")
    involved = event.get("involvedObject", {}).get("namespace", "")
    if event.get("eventTime"):
        if not involved and namespace not in {"default", "kube-system"}:
            yield _wrong_namespace(involved)
        yield from _new_style_problems(event, controller_field)
    elif namespace != involved and (involved or namespace not in {"", "default"}):
        yield _wrong_namespace(involved)
    yield from each("namespace", namespace, names.dns_subdomain(namespace))


def _wrong_namespace(involved: str) -> FieldError:
    return invalid_value("involvedObject.namespace", involved, "does not match event.namespace")


def _new_style_problems(event: Object, controller_field: str) -> Errors:
    controller = event.get("reportingComponent", "")
    if not controller:
        yield required(controller_field)
    yield from each(controller_field, controller, names.qualified_name(controller))
    for field, limit in _MAX_LENGTHS.items():
        value = event.get(field, "")
        if not value and field != "message":
            yield required(field)
        if len(value.encode()) > limit:
            yield invalid_value(field, "", f"can have at most {limit} characters")


def _strict_problems(event: Object) -> Errors:
    yield from _series_problems(event)
    if not event.get("eventTime"):
        yield required("eventTime")
    if event.get("type") not in {"Normal", "Warning"}:
        yield invalid_value("type", "", f"has invalid value: {event.get('type', '')}")
    for field in ("firstTimestamp", "lastTimestamp", "count", "source"):
        if event.get(field):
            yield invalid_value(field, "", "needs to be unset")


def _series_problems(event: Object) -> Errors:
    series = event.get("series")
    if series is None:
        return
    if series.get("count", 0) < 2:  # noqa: PLR2004 - one event is no series
        yield invalid_value("series.count", "", "should be at least 2")
    if not series.get("lastObservedTime"):
        yield required("series.lastObservedTime")
