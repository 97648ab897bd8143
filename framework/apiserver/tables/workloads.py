"""What makes pods: Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs, CronJobs; and what guards them."""

from collections.abc import Sequence
from typing import Any

from framework.apiserver.objects import Object
from framework.apiserver.resource import Column
from framework.apiserver.tables.durations import age, human_duration, seconds_of
from framework.apiserver.tables.label_text import InvalidSelectorError, labels_text, selector_query, selector_text
from framework.apiserver.tables.printer import AGE, CONTAINERS, IMAGES, NAME, SELECTOR, FunctionTable, integer
from framework.apiserver.tables.reading import (
    NONE,
    created,
    dig,
    has_condition,
    name_of,
    number_at,
    objects_at,
    text_at,
)

_TEMPLATE = ("spec", "template", "spec")
# In the order in which they count.
_JOB_CONDITIONS = ("Suspended", "FailureTarget", "SuccessCriteriaMet")


def _names_and_images(obj: Object, *path: str) -> tuple[str, str]:
    containers = objects_at(obj, *path, "containers")
    return ",".join(text_at(one, "name") for one in containers), ",".join(text_at(one, "image") for one in containers)


def _deployment(obj: Object, now: float) -> Sequence[Any]:
    try:
        selector = selector_query(dig(obj, "spec", "selector"))
    except InvalidSelectorError:
        selector = "<invalid>"
    return (
        name_of(obj),
        f"{number_at(obj, 'status', 'readyReplicas')}/{number_at(obj, 'spec', 'replicas')}",
        number_at(obj, "status", "updatedReplicas"),
        number_at(obj, "status", "availableReplicas"),
        age(created(obj), now),
        *_names_and_images(obj, *_TEMPLATE),
        selector,
    )


def _replica_set(obj: Object, now: float) -> Sequence[Any]:
    return (
        name_of(obj),
        number_at(obj, "spec", "replicas"),
        number_at(obj, "status", "replicas"),
        number_at(obj, "status", "readyReplicas"),
        age(created(obj), now),
        *_names_and_images(obj, *_TEMPLATE),
        selector_text(dig(obj, "spec", "selector")),
    )


def _stateful_set(obj: Object, now: float) -> Sequence[Any]:
    ready = f"{number_at(obj, 'status', 'readyReplicas')}/{number_at(obj, 'spec', 'replicas')}"
    return (name_of(obj), ready, age(created(obj), now), *_names_and_images(obj, *_TEMPLATE))


def _daemon_set(obj: Object, now: float) -> Sequence[Any]:
    return (
        name_of(obj),
        number_at(obj, "status", "desiredNumberScheduled"),
        number_at(obj, "status", "currentNumberScheduled"),
        number_at(obj, "status", "numberReady"),
        number_at(obj, "status", "updatedNumberScheduled"),
        number_at(obj, "status", "numberAvailable"),
        labels_text(dig(obj, *_TEMPLATE, "nodeSelector")),
        age(created(obj), now),
        *_names_and_images(obj, *_TEMPLATE),
        selector_text(dig(obj, "spec", "selector")),
    )


def _job(obj: Object, now: float) -> Sequence[Any]:
    return (
        name_of(obj),
        _job_status(obj),
        _completions(obj),
        _job_duration(obj, now),
        age(created(obj), now),
        *_names_and_images(obj, *_TEMPLATE),
        selector_text(dig(obj, "spec", "selector")),
    )


def _job_status(obj: Object) -> str:
    conditions = objects_at(obj, "status", "conditions")
    for condition in ("Complete", "Failed"):
        if has_condition(conditions, condition):
            return condition
    if dig(obj, "metadata", "deletionTimestamp"):
        return "Terminating"
    return next((one for one in _JOB_CONDITIONS if has_condition(conditions, one)), "Running")


def _completions(obj: Object) -> str:
    succeeded = number_at(obj, "status", "succeeded")
    completions = dig(obj, "spec", "completions")
    if completions is not None:
        return f"{succeeded}/{completions}"
    parallelism = number_at(obj, "spec", "parallelism")
    return f"{succeeded}/1 of {parallelism}" if parallelism > 1 else f"{succeeded}/1"


def _job_duration(obj: Object, now: float) -> str:
    started = dig(obj, "status", "startTime")
    if not started:
        return ""
    ended = dig(obj, "status", "completionTime")
    return human_duration((seconds_of(ended) if ended else now) - seconds_of(started))


def _cron_job(obj: Object, now: float) -> Sequence[Any]:
    suspend = dig(obj, "spec", "suspend")
    last = dig(obj, "status", "lastScheduleTime")
    zone = dig(obj, "spec", "timeZone")
    return (
        name_of(obj),
        text_at(obj, "spec", "schedule"),
        NONE if zone is None else zone,
        "<unset>" if suspend is None else str(suspend),
        len(objects_at(obj, "status", "active")),
        age(last, now) if last else NONE,
        age(created(obj), now),
        *_names_and_images(obj, "spec", "jobTemplate", *_TEMPLATE),
        selector_text(dig(obj, "spec", "jobTemplate", "spec", "selector")),
    )


def _disruption_budget(obj: Object, now: float) -> Sequence[Any]:
    minimum, maximum = dig(obj, "spec", "minAvailable"), dig(obj, "spec", "maxUnavailable")
    return (
        name_of(obj),
        "N/A" if minimum is None else str(minimum),
        "N/A" if maximum is None else str(maximum),
        number_at(obj, "status", "disruptionsAllowed"),
        age(created(obj), now),
    )


DEPLOYMENTS = FunctionTable(
    (
        NAME,
        Column("Ready", description="How many of the wanted pods are ready."),
        Column("Up-to-date", description="How many pods have the wanted template."),
        Column("Available", description="How many pods have been ready for long enough."),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ),
    _deployment,
)
REPLICA_SETS = FunctionTable(
    (
        NAME,
        integer("Desired", "How many pods are wanted."),
        integer("Current", "How many pods there are."),
        integer("Ready", "How many pods are ready."),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ),
    _replica_set,
)
STATEFUL_SETS = FunctionTable(
    (NAME, Column("Ready", description="How many of the wanted pods are ready."), AGE, CONTAINERS, IMAGES),
    _stateful_set,
)
DAEMON_SETS = FunctionTable(
    (
        NAME,
        integer("Desired", "How many nodes should run the pod."),
        integer("Current", "How many nodes run the pod."),
        integer("Ready", "How many nodes have a pod that is ready."),
        integer("Up-to-date", "How many nodes run the wanted template."),
        integer("Available", "How many nodes have a pod that has been ready for long enough."),
        Column("Node Selector", description="Labels of the nodes that should run the pod."),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ),
    _daemon_set,
)
JOBS = FunctionTable(
    (
        NAME,
        Column("Status", description="How far the job is, in one word."),
        Column("Completions", description="How many of the wanted pods have succeeded."),
        Column("Duration", description="How long the job took, or takes so far."),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ),
    _job,
)
CRON_JOBS = FunctionTable(
    (
        NAME,
        Column("Schedule", description="When jobs are started, in cron's notation."),
        Column("Timezone", description="Time zone of the schedule."),
        Column("Suspend", type="boolean", description="Whether no further jobs are started."),
        integer("Active", "How many jobs run now."),
        Column("Last Schedule", description="Time since a job was started last."),
        AGE,
        CONTAINERS,
        IMAGES,
        SELECTOR,
    ),
    _cron_job,
)
DISRUPTION_BUDGETS = FunctionTable(
    (
        NAME,
        Column("Min Available", description="How many pods must stay available."),
        Column("Max Unavailable", description="How many pods may be unavailable."),
        integer("Allowed Disruptions", "How many pods may be evicted now."),
        AGE,
    ),
    _disruption_budget,
)
