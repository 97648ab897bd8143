"""The builds that a release is part of."""

from collections.abc import Iterable, Mapping

import msgspec

from apis.cfworker.jobbuilder import BuildPhase, JobBuilder
from apis.cfworker.workerrelease import FailedEntry, WorkerRelease
from framework.listers import Lister

RELEASE_INDEX = "workerrelease/jobbuilder"
_UNFINISHED = (None, BuildPhase.PENDING, BuildPhase.BUILDING)


def releases_in(job_builder: JobBuilder) -> Iterable[str]:
    """The index function of `RELEASE_INDEX`."""
    namespace = job_builder.metadata.namespace
    return {f"{namespace}/{row.release}" for row in job_builder.spec.workers if row.release}


def build_id(job_builder: JobBuilder) -> str:
    """Of one build: a JobBuilder that is made to build again is another one."""
    return f"{job_builder.metadata.uid}/{job_builder.status.rebuild_seen}"


class ReleaseBuilds(msgspec.Struct, frozen=True):
    """The newest first."""

    builds: tuple[JobBuilder, ...]
    failures: Mapping[str, list[FailedEntry]]

    @property
    def newest(self) -> JobBuilder | None:
        return self.builds[0] if self.builds else None

    @property
    def is_building(self) -> bool:
        return self.newest is not None and self.newest.status.phase in _UNFINISHED


def builds_of(release: WorkerRelease, job_builders: Lister[JobBuilder]) -> ReleaseBuilds:
    found = job_builders.by_index(RELEASE_INDEX, str(release.key))
    living = [each for each in found if not each.metadata.is_being_deleted]
    newest = sorted(living, key=lambda each: (each.metadata.creation_timestamp, each.metadata.name), reverse=True)
    failures = {build_id(each): failed for each in newest if (failed := list(_failed_in(each, release)))}
    return ReleaseBuilds(tuple(newest), failures)


def _failed_in(job_builder: JobBuilder, release: WorkerRelease) -> Iterable[FailedEntry]:
    if job_builder.status.phase is not BuildPhase.FAILED:
        return
    messages = {each.script_name: each.message for each in job_builder.status.failed_scripts}
    for row in job_builder.spec.workers:
        if row.release == release.metadata.name and row.name in messages:
            yield FailedEntry(script_name=row.name, url=row.sources[0], message=messages[row.name])
