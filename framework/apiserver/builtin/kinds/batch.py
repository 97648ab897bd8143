"""Jobs and CronJobs."""

from functools import partial
from typing import ClassVar

from framework.apiserver.builtin.strategy import BuiltinStrategy, Selectable
from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each, non_negative
from framework.apiserver.builtin.validation.cron import schedule_problem
from framework.apiserver.builtin.validation.jobs import job_spec, job_update
from framework.apiserver.builtin.validation.selectors import is_usable, label_selector, matches
from framework.apiserver.builtin.validation.time_zones import time_zone
from framework.apiserver.builtin.warnings import name_warnings, pod_warnings
from framework.apiserver.fields import FieldError, invalid_value, required, unsupported
from framework.apiserver.objects import Object

# The name of a job that a CronJob makes has a suffix of 11 characters.
_CRON_JOB_NAME_LENGTH = 52
_CONCURRENCY = ("Allow", "Forbid", "Replace")
_NAME_LABELS = ("job-name", "batch.kubernetes.io/job-name")
_UID_LABELS = ("controller-uid", "batch.kubernetes.io/controller-uid")


class JobStrategy(BuiltinStrategy):
    has_generation = True
    rechecks_metadata = True
    selectable: ClassVar[Selectable] = {"status.successful": lambda job: str(job.get("status", {}).get("succeeded", 0))}

    def prepare_for_create(self, obj: Object) -> None:
        super().prepare_for_create(obj)
        if not obj["spec"].get("manualSelector"):
            _select_by_uid(obj)

    def problems(self, obj: Object) -> Errors:
        yield from _generated_selector(obj)
        yield from _selecting_spec(obj["spec"])
        yield from _host_names(obj)

    def update_problems(self, new: Object, old: Object) -> Errors:
        # The real server looks at the spec twice, and says twice what is wrong with it.
        yield from _selecting_spec(new["spec"])
        yield from job_update(new["spec"], old["spec"])

    def warnings(self, obj: Object) -> list[str]:
        named = name_warnings(obj, "Pod names and hostnames")
        return [*named, *pod_warnings("spec.template.spec", obj["spec"]["template"]["spec"])]


def _selecting_spec(spec: Object) -> Errors:
    yield from job_spec("spec", spec)
    selector = spec.get("selector")
    if selector is None:
        yield required("spec.selector")
    yield from label_selector("spec.selector", selector)
    found = spec["template"].get("metadata", {}).get("labels", {})
    if is_usable(selector) and not matches(selector, found):
        detail = "`selector` does not match template `labels`"
        yield invalid_value("spec.template.metadata.labels", found or None, detail)


def _select_by_uid(job: Object) -> None:
    metadata, spec = job["metadata"], job["spec"]
    found = spec["template"].setdefault("metadata", {}).setdefault("labels", {})
    for label in _NAME_LABELS:
        found.setdefault(label, metadata.get("name", ""))
    for label in _UID_LABELS:
        found.setdefault(label, metadata["uid"])
    selected = spec.setdefault("selector", {}).setdefault("matchLabels", {})
    selected.setdefault(_UID_LABELS[1], metadata["uid"])
    if metadata.get("labels") in (None, {}) or metadata["labels"] is found:
        metadata["labels"] = dict(found)


def _generated_selector(job: Object) -> Errors:
    """The labels are the server's: whoever sets them himself must set them to the same."""
    spec, metadata = job["spec"], job["metadata"]
    if spec.get("manualSelector") or "selector" not in spec:
        return
    found = spec["template"].get("metadata", {}).get("labels", {})
    expected: dict[str, str] = {}
    for of_uid, of_name in zip(_UID_LABELS, _NAME_LABELS, strict=True):
        expected |= {of_uid: metadata["uid"], of_name: metadata.get("name", "")}
    for label, value in expected.items():
        if found.get(label) != value:
            problem = required if label not in found else partial(invalid_value, value=found)
            yield problem(f"spec.template.metadata.labels[{label}]", detail=f"must be '{value}'")
    if is_usable(spec["selector"]) and not matches(spec["selector"], expected):
        yield invalid_value("spec.selector", spec["selector"], "`selector` not auto-generated")


def _host_names(job: Object) -> Errors:
    spec = job["spec"]
    if spec.get("completionMode") == "Indexed" and (count := spec.get("completions", 0)) > 0:
        longest = f"{job['metadata'].get('name', '')}-{count - 1}"
        if names.dns_label(longest):
            detail = f"will not able to create pod with invalid DNS label: {longest}"
            yield invalid_value("metadata.name", job["metadata"].get("name", ""), detail)


class CronJobStrategy(BuiltinStrategy):
    has_generation = True

    def validate(self, obj: Object) -> list[FieldError]:
        problems = [*self.metadata_problems(obj), *_cron_job(obj["spec"], None)]
        name = obj["metadata"].get("name", "")
        if len(name) > _CRON_JOB_NAME_LENGTH:
            problems += each("metadata.name", name, [names.too_long(_CRON_JOB_NAME_LENGTH)])
        return problems

    def update_problems(self, new: Object, old: Object) -> Errors:
        return _cron_job(new["spec"], old["spec"])

    def warnings(self, obj: Object) -> list[str]:
        path, spec = "spec.jobTemplate.spec.template.spec", obj["spec"]["jobTemplate"]["spec"]["template"]["spec"]
        return [*name_warnings(obj, "Pod names and hostnames"), *pod_warnings(path, spec)]


def _cron_job(spec: Object, old: Object | None) -> Errors:
    schedule = spec.get("schedule", "")
    if not schedule:
        yield required("spec.schedule")
    else:
        # Stored before it was forbidden, it stays allowed.
        may_have_zone = old is not None and "TZ" in old.get("schedule", "")
        yield from _schedule(schedule, spec.get("timeZone"), may_have_zone=may_have_zone)
    yield from non_negative(spec, "spec", "startingDeadlineSeconds")
    if old is None or old.get("timeZone") != spec.get("timeZone"):
        yield from time_zone("spec.timeZone", spec)
    policy = spec.get("concurrencyPolicy", "")
    if policy not in _CONCURRENCY:
        yield unsupported("spec.concurrencyPolicy", policy, _CONCURRENCY)
    yield from _job_template("spec.jobTemplate.spec", spec["jobTemplate"]["spec"])
    yield from non_negative(spec, "spec", "successfulJobsHistoryLimit", "failedJobsHistoryLimit")


def _schedule(schedule: str, zone: str | None, *, may_have_zone: bool) -> Errors:
    if problem := schedule_problem(schedule):
        yield invalid_value("spec.schedule", schedule, problem)
    if "TZ" not in schedule:
        return
    if not may_have_zone:
        detail = "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"
        yield invalid_value("spec.schedule", schedule, detail)
    elif zone is not None:
        detail = "cannot use both timeZone field and TZ or CRON_TZ in schedule"
        yield invalid_value("spec.schedule", schedule, detail)


def _job_template(path: str, spec: Object) -> Errors:
    yield from job_spec(path, spec)
    if "selector" in spec:
        yield invalid_value(f"{path}.selector", spec["selector"], "`selector` will be auto-generated")
    if spec.get("manualSelector"):
        yield unsupported(f"{path}.manualSelector", spec["manualSelector"], ["nil", "false"])
