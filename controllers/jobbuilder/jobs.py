"""The Job of a JobBuilder, and the plan that it reads."""

from contextlib import suppress
from typing import Any

from apis.batch.v1 import Job, JobCondition
from apis.cfworker.jobbuilder import JobBuilder
from apis.core.v1 import ConfigMap
from apis.meta import Key, KubeObject, Unstructured, resource_type_of
from controllers.jobbuilder.job import job_manifest, plan_manifest
from controllers.workers.keys import ATTEMPT, REBUILD
from controllers.workers.living_owner import check_is_there
from controllers.workers.names import job_name, plan_name
from controllers.workers.settings import WorkersSettings
from framework.client import Client
from framework.errors import AlreadyExists, NotFound
from framework.listers import Lister

_JOBS, _CONFIG_MAPS = resource_type_of(Job), resource_type_of(ConfigMap)


class NameTaken(Exception):
    """The text says by whom."""


def attempt_of(job_builder: JobBuilder, attempts: int) -> str:
    """Marks the Job of one attempt, so that one that was made before a crash is known again."""
    return f"{job_builder.metadata.annotations.get(REBUILD, '')}/{attempts}"


def attempts_before(job: Job) -> int:
    number = job.metadata.annotations.get(ATTEMPT, "").rpartition("/")[2]
    return int(number) if number.isascii() and number.isdigit() else 0


def final_condition(job: Job) -> JobCondition | None:
    """Complete or Failed; None while it may still come to either."""
    return next((each for each in job.status.conditions if _is_final(each)), None)


def _is_final(condition: JobCondition) -> bool:
    return condition.type in {"Complete", "Failed"} and condition.status == "True"


class Jobs:
    def __init__(self, *, jobs: Lister[Job], client: Client, settings: WorkersSettings) -> None:
        self._jobs = jobs
        self._client = client
        self._settings = settings

    def of(self, job_builder: JobBuilder) -> Job | None:
        """Raise NameTaken if the Job of that name is another's."""
        found = self._jobs.get(_key(job_builder, job_name(job_builder.metadata.name)))
        if found is not None:
            _check_owner(found, job_builder)
        return found

    def start(self, job_builder: JobBuilder, plan: str, attempts: int) -> None:
        """Write the plan, then the Job that needs it. Raise NameTaken."""
        check_is_there(self._client, job_builder)
        self._write_plan(job_builder, plan)
        manifest = job_manifest(job_builder, self._settings, attempt_of(job_builder, attempts))
        try:
            self._create(manifest)
        except AlreadyExists:
            # One that the cache has not heard of yet; what it is, the next look tells.
            _check_owner(self._client.get(Job, _key(job_builder, manifest["metadata"]["name"])), job_builder)

    def delete(self, job: Job) -> None:
        if job.metadata.is_being_deleted:
            return
        with suppress(NotFound):
            self._client.delete(Job, job.key, uid=job.metadata.uid, propagation="Background")

    def _create(self, manifest: dict[str, Any]) -> None:
        self._client.create(Unstructured(content=manifest), kind=_JOBS)

    def _write_plan(self, job_builder: JobBuilder, plan: str) -> None:
        key = _key(job_builder, plan_name(job_builder.metadata.name))
        try:
            found = self._client.get(ConfigMap, key)
        except NotFound:
            self._client.create(Unstructured(content=plan_manifest(job_builder, plan)), kind=_CONFIG_MAPS)
            return
        _check_owner(found, job_builder)
        if found.data != (wanted := plan_manifest(job_builder, plan))["data"]:
            self._client.apply(_CONFIG_MAPS, {**wanted, "metadata": {**wanted["metadata"], "uid": found.metadata.uid}})


def _key(job_builder: JobBuilder, name: str) -> Key:
    return Key(job_builder.metadata.namespace, name)


def _check_owner(found: KubeObject, job_builder: JobBuilder) -> None:
    owner = found.metadata.controller_owner
    if owner is None or owner.uid != job_builder.metadata.uid:
        whose = f"{owner.kind} {owner.name}" if owner else "nobody"
        raise NameTaken(f"{type(found).__name__} {found.key} is controlled by {whose}; delete it, or rename it")
