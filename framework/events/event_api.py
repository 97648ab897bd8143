"""An Event in the words of each of the two API groups that have one."""

from datetime import datetime
from typing import Any, Protocol

from apis.meta import GroupVersionKind, ResourceType, micro_time
from framework.events.options import EventApiVersion
from framework.events.reporter import Reporter
from framework.events.series import Series


class EventApi(Protocol):
    resource_type: ResourceType

    def content(self, series: Series) -> dict[str, Any]:
        """The whole Event."""

    def patch(self, series: Series) -> dict[str, Any]:
        """What a repetition changes of it."""


class EventsV1:
    """events.k8s.io/v1: all but the series is immutable."""

    resource_type = ResourceType(GroupVersionKind("events.k8s.io", "v1", "Event"), "events")

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter

    def content(self, series: Series) -> dict[str, Any]:
        return {
            "metadata": {"name": series.name, "namespace": series.namespace},
            "eventTime": micro_time(series.first.at),
            "reportingController": self._reporter.controller,
            "reportingInstance": self._reporter.instance,
            "action": series.topic.action,
            "reason": series.topic.reason,
            "note": series.first_note,
            "type": series.topic.type,
            "regarding": _regarding(series),
            **_related(series),
            # The server takes a series of two and more only.
            **(self.patch(series) if series.count > 1 else {}),
        }

    def patch(self, series: Series) -> dict[str, Any]:
        return {"series": {"count": series.count, "lastObservedTime": micro_time(series.last_at)}}


class CoreV1:
    """The older v1, which knows no series but counts."""

    resource_type = ResourceType(GroupVersionKind("", "v1", "Event"), "events")

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter

    def content(self, series: Series) -> dict[str, Any]:
        return {
            "metadata": {"name": series.name, "namespace": series.namespace},
            "firstTimestamp": _to_the_second(series.first.at),
            "source": {"component": self._reporter.controller},
            "reportingComponent": self._reporter.controller,
            "reportingInstance": self._reporter.instance,
            "action": series.topic.action,
            "reason": series.topic.reason,
            "type": series.topic.type,
            "involvedObject": _regarding(series),
            **_related(series),
            **self.patch(series),
        }

    def patch(self, series: Series) -> dict[str, Any]:
        return {"count": series.count, "lastTimestamp": _to_the_second(series.last_at), "message": series.note}


def event_api_for(version: EventApiVersion, reporter: Reporter) -> EventApi:
    return CoreV1(reporter) if version == "v1" else EventsV1(reporter)


def _regarding(series: Series) -> dict[str, str]:
    return series.topic.regarding.content(series.first.regarding_version)


def _related(series: Series) -> dict[str, Any]:
    related = series.topic.related
    return {} if related is None else {"related": related.content(series.first.related_version)}


def _to_the_second(at: datetime) -> str:
    return micro_time(at).partition(".")[0] + "Z"
