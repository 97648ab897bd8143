"""Defaults of jobs."""

from framework.apiserver.objects import Object

_BACKOFF_LIMIT = 6
# With a limit for each index there is no other than the largest number.
_NO_BACKOFF_LIMIT = 2**31 - 1


def default_job(job: Object) -> None:
    """Of a Job, not of a CronJob's template: that gets its defaults when a Job is made from it."""
    spec = job.setdefault("spec", {})
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = 1
    spec.setdefault("parallelism", 1)
    spec.setdefault("backoffLimit", _NO_BACKOFF_LIMIT if "backoffLimitPerIndex" in spec else _BACKOFF_LIMIT)
    spec.setdefault("completionMode", "NonIndexed")
    spec.setdefault("suspend", False)
    spec.setdefault("podReplacementPolicy", "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed")
    spec.setdefault("manualSelector", False)
    metadata = job.setdefault("metadata", {})
    labels = spec.get("template", {}).get("metadata", {}).get("labels")
    if labels and not metadata.get("labels"):
        # The same dict on purpose: what the strategy adds to the template's labels shows here, too.
        metadata["labels"] = labels


def default_cron_job_spec(spec: Object) -> None:
    spec.setdefault("concurrencyPolicy", "Allow")
    spec.setdefault("suspend", False)
    spec.setdefault("successfulJobsHistoryLimit", 3)
    spec.setdefault("failedJobsHistoryLimit", 1)


def default_condition_pattern(pattern: Object) -> None:
    if not pattern.get("status"):
        pattern["status"] = "True"


BATCH_DEFAULTS = {
    "batch.v1.Job": default_job,
    "batch.v1.CronJobSpec": default_cron_job_spec,
    "batch.v1.PodFailurePolicyOnPodConditionsPattern": default_condition_pattern,
}
