"""The phases of a WorkerRelease."""

from collections.abc import Sequence

from apis.cfworker.jobbuilder import JobBuilder
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerrelease import ReleasePhase, WorkerRelease
from apis.meta import Request
from controllers.reporting.observation import Observation
from controllers.reporting.status_writer import StatusWriter
from controllers.workerrelease.builds import ReleaseBuilds, builds_of
from controllers.workerrelease.failures import Failures, failures_of
from controllers.workerrelease.script_objects import ObjectRemoval
from controllers.workers.accounts import serving_releases
from controllers.workers.belonging import accounts_of
from controllers.workers.keys import FAKE_CF_API, STORAGE_OWNER
from controllers.workers.release_scripts import scripts_of_release
from controllers.workers.script_rules import InvalidInput, ScriptRules
from framework.clock import Clock
from framework.finalizers import Finalizer
from framework.listers import Lister
from framework.reconcile import Result

_VALID = Observation("Valid", "True", "Valid")
_BUILT = "Built"


class WorkerReleases:
    def __init__(
        self,
        *,
        releases: Lister[WorkerRelease],
        accounts: Lister[WorkerAccount],
        job_builders: Lister[JobBuilder],
        removal: ObjectRemoval,
        finalizer: Finalizer[WorkerRelease],
        status: StatusWriter[WorkerRelease],
        rules: ScriptRules,
        clock: Clock,
    ) -> None:
        self._releases = releases
        self._accounts = accounts
        self._job_builders = job_builders
        self._removal = removal
        self._finalizer = finalizer
        self._status = status
        self._rules = rules
        self._clock = clock

    def reconcile(self, request: Request) -> Result:
        release = self._releases.get(request.key)
        if release is None:
            return Result.await_change()
        if release.metadata.is_being_deleted:
            if self._finalizer.needs_cleanup(release) and self._removal.remove(release):
                self._finalizer.finish(release)
            return Result.await_change()
        if release.metadata.annotations.get(STORAGE_OWNER) == FAKE_CF_API:
            release = self._finalizer.ensure(release)
        self._report(release)
        return Result.await_change()

    def _report(self, release: WorkerRelease) -> None:
        accounts = accounts_of(release, self._accounts.list(release.metadata.namespace))
        try:
            scripts_of_release(release.spec, self._rules, self._clock.now())
        except InvalidInput as why:
            invalid = Observation("Valid", "False", why.reason, str(why))
            self._write(release, ReleasePhase.INVALID, str(why), accounts, invalid)
            return
        builds = builds_of(release, self._job_builders)
        failures = failures_of(release, builds.failures)
        serving = [each for each in accounts if release.metadata.name in serving_releases(each).values()]
        phase, message = _phase(release, accounts, serving, builds, failures)
        image = serving[0].status.image if serving else release.status.image
        fields = {
            "image": image,
            "jobBuilder": builds.newest.metadata.name if builds.newest else release.status.job_builder,
            "failedScripts": failures.entries,
            "ignoredBuilds": failures.ignored,
            "retrySeen": failures.retry_seen,
        }
        observed = (_VALID, _found(accounts), _built(phase, message, image))
        self._write(release, phase, message, accounts, *observed, **fields)

    def _write(
        self,
        release: WorkerRelease,
        phase: ReleasePhase,
        message: str,
        accounts: Sequence[WorkerAccount],
        *observations: Observation,
        **fields: object,
    ) -> None:
        self._status.write(
            release,
            *observations,
            phase=phase,
            message=message,
            accounts=[each.metadata.name for each in accounts],
            observedGeneration=release.metadata.generation,
            **fields,
        )


def _phase(
    release: WorkerRelease,
    accounts: Sequence[WorkerAccount],
    serving: Sequence[WorkerAccount],
    builds: ReleaseBuilds,
    failures: Failures,
) -> tuple[ReleasePhase, str]:
    if failures.entries and len(failures.entries) == _script_count(release):
        return ReleasePhase.FAILED, "; ".join(f"{each.script_name}: {each.message}" for each in failures.entries)
    if serving:
        return ReleasePhase.ACTIVE, ""
    if builds.is_building:
        return ReleasePhase.BUILDING, ""
    if release.status.image:
        return ReleasePhase.SUPERSEDED, ""
    return ReleasePhase.PENDING, "" if accounts else "no WorkerAccount selects it"


def _script_count(release: WorkerRelease) -> int:
    versions = release.spec.worker_versions
    return 1 if versions is None else len(versions)


def _found(accounts: Sequence[WorkerAccount]) -> Observation:
    if accounts:
        return Observation("AccountFound", "True", "AccountFound")
    message = "no WorkerAccount of this namespace selects its labels"
    return Observation("AccountFound", "False", "NoMatchingAccount", message)


def _built(phase: ReleasePhase, message: str, image: str) -> Observation:
    if phase is ReleasePhase.FAILED:
        return Observation(_BUILT, "False", "ReleaseFailed", message)
    if image:
        return Observation(_BUILT, "True", "Built")
    return Observation(_BUILT, "False", "Building" if phase is ReleasePhase.BUILDING else "NotBuilt")
