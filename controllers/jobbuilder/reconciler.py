"""The phases of a build."""

from datetime import timedelta

from apis.batch.v1 import Job, JobCondition
from apis.cfworker.jobbuilder import BuildPhase, JobBuilder
from apis.meta import Key, Request
from controllers.jobbuilder.handover import Handover, NoLongerDesired
from controllers.jobbuilder.jobs import Jobs, NameTaken, attempt_of, attempts_before, final_condition
from controllers.jobbuilder.pod_reports import PodReports
from controllers.jobbuilder.reports import Reports
from controllers.jobbuilder.rows import BuildInputs
from controllers.jobbuilder.wishes import Wish, Wishes
from controllers.workers.images import with_digest
from controllers.workers.keys import ATTEMPT, REBUILD
from controllers.workers.names import job_name
from controllers.workers.patience import Patience
from controllers.workers.registries import ImageRegistry, Registries
from controllers.workers.script_rules import InvalidInput
from controllers.workers.settings import WorkersSettings
from framework.clock import Clock
from framework.errors import TerminalError
from framework.listers import Lister
from framework.reconcile import Result

_LONGEST_DELAY = timedelta(hours=1)
_LOOK_AGAIN_SECONDS = 60.0
_BAD_INPUT_REASON = "PodFailurePolicy"


class JobBuilders:
    def __init__(
        self,
        *,
        job_builders: Lister[JobBuilder],
        wishes: Wishes,
        inputs: BuildInputs,
        jobs: Jobs,
        pods: PodReports,
        registries: Registries,
        handover: Handover,
        reports: Reports,
        settings: WorkersSettings,
        clock: Clock,
    ) -> None:
        self._job_builders = job_builders
        self._wishes = wishes
        self._inputs = inputs
        self._jobs = jobs
        self._pods = pods
        self._registries = registries
        self._handover = handover
        self._reports = reports
        self._settings = settings
        self._clock = clock
        self._patience = Patience(clock)

    def reconcile(self, request: Request) -> Result:
        job_builder = self._job_builders.get(request.key)
        if job_builder is None or job_builder.metadata.is_being_deleted:
            return Result.await_change()
        try:
            return self._step(job_builder, self._wishes.of(job_builder))
        except NameTaken as why:
            if job_builder.status.phase not in {None, BuildPhase.PENDING, BuildPhase.BUILDING}:
                raise TerminalError(str(why)) from None
            self._reports.blocked(job_builder, str(why))
            return Result.after(_LOOK_AGAIN_SECONDS)

    def _step(self, job_builder: JobBuilder, wish: Wish) -> Result:
        phase, status = job_builder.status.phase, job_builder.status
        is_finished = phase in {BuildPhase.SUCCEEDED, BuildPhase.FAILED}
        if is_finished and job_builder.metadata.annotations.get(REBUILD, "") != status.rebuild_seen:
            return self._rebuild(job_builder)
        if phase is BuildPhase.FAILED:
            return Result.await_change()
        if not wish.is_desired:
            return self._supersede(job_builder)
        if phase is BuildPhase.SUPERSEDED:
            return self._revive(job_builder)
        return self._advance(job_builder, wish)

    def _advance(self, job_builder: JobBuilder, wish: Wish) -> Result:
        match job_builder.status.phase:
            case BuildPhase.SUCCEEDED:
                return self._hand_over(job_builder, wish)
            case BuildPhase.BUILDING:
                return self._follow(job_builder, wish)
            case _:
                return self._begin(job_builder, wish)

    def _rebuild(self, job_builder: JobBuilder) -> Result:
        self._delete_job(job_builder)
        rebuild = job_builder.metadata.annotations.get(REBUILD, "")
        blank = {"image": "", "imageDigest": "", "completionTime": None, "startTime": None}
        message = "it was asked to build again"
        self._reports.pending(
            job_builder, message, rebuildSeen=rebuild, attempts=0, bundleApplied=False, failedScripts=[], **blank
        )
        return Result.await_change()

    def _supersede(self, job_builder: JobBuilder) -> Result:
        if job_builder.status.phase is BuildPhase.SUPERSEDED:
            return Result.await_change()
        if job_builder.status.phase is not BuildPhase.SUCCEEDED:
            self._delete_job(job_builder)
        self._reports.superseded(job_builder)
        return Result.await_change()

    def _begin(self, job_builder: JobBuilder, wish: Wish) -> Result:
        job, attempts = self._jobs.of(job_builder), job_builder.status.attempts
        if job is None:
            return self._start(job_builder, wish)
        if job.metadata.annotations.get(ATTEMPT) == attempt_of(job_builder, attempts):
            if not job.metadata.is_being_deleted:
                self._note_start(job_builder)
            return Result.await_change()
        # That of an earlier attempt; when it is gone there is room for the next.
        self._jobs.delete(job)
        return Result.await_change()

    def _start(self, job_builder: JobBuilder, wish: Wish) -> Result:
        if not self._wishes.is_still_desired(job_builder):
            return self._supersede(job_builder)
        try:
            made = self._inputs.read(job_builder, wish.bundle, self._clock.now())
            self._jobs.start(job_builder, made.text, job_builder.status.attempts)
        except InvalidInput as why:
            self._reports.failed(job_builder, why.reason, str(why), rebuildSeen=_rebuild_of(job_builder))
            return Result.await_change()
        except TerminalError as why:
            self._reports.failed(job_builder, "InvalidBuilder", str(why), rebuildSeen=_rebuild_of(job_builder))
            return Result.await_change()
        self._note_start(job_builder)
        return Result.await_change()

    def _note_start(self, job_builder: JobBuilder) -> None:
        self._reports.started(job_builder, job_name(job_builder.metadata.name), _rebuild_of(job_builder))

    def _follow(self, job_builder: JobBuilder, wish: Wish) -> Result:
        job = self._jobs.of(job_builder)
        if job is None:
            return self._start(job_builder, wish)
        final = final_condition(job)
        if job.metadata.is_being_deleted or final is None:
            return Result.await_change()
        if final.type == "Complete":
            return self._complete(job_builder, job, final)
        if final.reason == _BAD_INPUT_REASON:
            return self._refuse(job_builder)
        return self._retry(job_builder, job, final, final.message or final.reason)

    def _complete(self, job_builder: JobBuilder, job: Job, final: JobCondition) -> Result:
        target = job_builder.spec.target_image
        digest = self._pods.digest(job_builder) or self._registry_of(job_builder).digest_of(target)
        if digest is None:
            return self._retry(job_builder, job, final, f"the Job is complete, but {target} is not in the registry")
        self._reports.succeeded(job_builder, with_digest(target, digest), digest)
        return Result.await_change()

    def _refuse(self, job_builder: JobBuilder) -> Result:
        report = self._pods.failure(job_builder)
        message = report.message or "; ".join(f"{each.script_name}: {each.message}" for each in report.failed_scripts)
        reason = report.reason if report.reason.isalnum() else "BuildFailed"
        self._reports.failed(
            job_builder, reason, message or "a script was refused", failedScripts=report.failed_scripts
        )
        return Result.await_change()

    def _retry(self, job_builder: JobBuilder, job: Job, final: JobCondition, why: str) -> Result:
        """Not the scripts are at fault: another Job, after a while that grows."""
        attempts = job_builder.status.attempts
        if attempts_before(job) == attempts:
            attempts += 1
            if attempts >= self._settings.build_attempts:
                message = f"{attempts} Jobs failed, the last one: {why}"
                self._reports.failed(job_builder, "TooManyAttempts", message, attempts=attempts, failedScripts=[])
                return Result.await_change()
            self._reports.write(job_builder, attempts=attempts, message=f"attempt {attempts} failed: {why}")
            return Result.await_change()
        since = final.last_transition_time or self._clock.now()
        delay = min(timedelta(seconds=self._settings.build_retry_seconds) * 2 ** max(attempts - 1, 0), _LONGEST_DELAY)
        by_its_age = (since + delay - self._clock.now()).total_seconds()
        left = min(by_its_age, self._patience.seconds_left(job.metadata.uid, delay.total_seconds()))
        if left > 0:
            return Result.after(left)
        self._patience.end(job.metadata.uid)
        self._jobs.delete(job)
        self._reports.pending(job_builder, job_builder.status.message)
        return Result.await_change()

    def _revive(self, job_builder: JobBuilder) -> Result:
        """Wanted again: what it has built may still be there."""
        status = job_builder.status
        if status.image_digest and self._registry_of(job_builder).digest_of(status.image) == status.image_digest:
            self._reports.write(job_builder, phase=BuildPhase.SUCCEEDED, message="")
            return Result.await_change()
        self._delete_job(job_builder)
        blank = {"image": "", "imageDigest": "", "bundleApplied": False, "startTime": None, "completionTime": None}
        self._reports.pending(job_builder, "the image is not in the registry any more", attempts=0, **blank)
        return Result.await_change()

    def _hand_over(self, job_builder: JobBuilder, wish: Wish) -> Result:
        try:
            observation = self._handover.run(job_builder, wish)
        except NoLongerDesired:
            return self._supersede(job_builder)
        self._reports.handed_over(job_builder, observation)
        return Result.await_change()

    def _delete_job(self, job_builder: JobBuilder) -> None:
        job = self._jobs.of(job_builder)
        if job is not None:
            self._jobs.delete(job)

    def _registry_of(self, job_builder: JobBuilder) -> ImageRegistry:
        secret = job_builder.spec.registry_credentials_secret
        return self._registries.of(Key(job_builder.metadata.namespace, secret))


def _rebuild_of(job_builder: JobBuilder) -> str:
    return job_builder.metadata.annotations.get(REBUILD, "")
