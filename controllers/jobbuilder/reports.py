"""What a JobBuilder says of itself: its phase, and an event for each change that somebody may wait for."""

from typing import Any

from apis.cfworker.jobbuilder import BuildPhase, JobBuilder
from controllers.jobbuilder.metrics import BuildMetrics
from controllers.reporting.observation import Observation
from controllers.reporting.recorder import Recorder
from controllers.reporting.status_writer import StatusWriter
from framework.clock import Clock

_ACTION = "Build"
_BUILT = "Built"


class Reports:
    def __init__(
        self, *, status: StatusWriter[JobBuilder], recorder: Recorder, metrics: BuildMetrics, clock: Clock
    ) -> None:
        self._status = status
        self._recorder = recorder
        self._metrics = metrics
        self._clock = clock

    def write(self, job_builder: JobBuilder, *observations: Observation, **fields: Any) -> JobBuilder:
        generation = job_builder.metadata.generation
        return self._status.write(job_builder, *observations, **fields, observedGeneration=generation)

    def pending(self, job_builder: JobBuilder, message: str, **fields: Any) -> JobBuilder:
        waiting = Observation(_BUILT, "False", "Pending", message)
        return self.write(job_builder, waiting, phase=BuildPhase.PENDING, message=message, **fields)

    def blocked(self, job_builder: JobBuilder, message: str) -> JobBuilder:
        """What it needs is called like something of another's."""
        return self.write(job_builder, Observation(_BUILT, "False", "NameTaken", message), message=message)

    def started(self, job_builder: JobBuilder, job: str, rebuild: str) -> JobBuilder:
        written = self.write(
            job_builder,
            Observation(_BUILT, "False", "Building"),
            phase=BuildPhase.BUILDING,
            jobName=job,
            message="",
            rebuildSeen=rebuild,
            startTime=job_builder.status.start_time or self._now(),
        )
        self._tell(written, "Normal", "BuildStarted", f"Job {job} builds {written.spec.target_image}")
        return written

    def succeeded(self, job_builder: JobBuilder, image: str, digest: str) -> JobBuilder:
        now, started = self._now(), job_builder.status.start_time
        written = self.write(
            job_builder,
            Observation(_BUILT, "True", "Built"),
            phase=BuildPhase.SUCCEEDED,
            image=image,
            imageDigest=digest,
            completionTime=now,
            failedScripts=[],
            bundleApplied=False,
            message="",
        )
        self._tell(written, "Normal", "BuildSucceeded", f"built {image}")
        self._metrics.ended("succeeded", (now - started).total_seconds() if started else None)
        return written

    def failed(self, job_builder: JobBuilder, reason: str, message: str, **fields: Any) -> JobBuilder:
        written = self.write(
            job_builder,
            Observation(_BUILT, "False", reason, message),
            phase=BuildPhase.FAILED,
            message=message,
            completionTime=self._now(),
            **fields,
        )
        self._tell(written, "Warning", "BuildFailed", f"{reason}: {message}")
        self._metrics.ended("failed")
        return written

    def superseded(self, job_builder: JobBuilder) -> JobBuilder:
        was_under_way = job_builder.status.phase not in {BuildPhase.SUCCEEDED, BuildPhase.SUPERSEDED}
        message = "the account wants another composition"
        conditions = () if job_builder.status.image else (Observation(_BUILT, "False", "Superseded", message),)
        written = self.write(job_builder, *conditions, phase=BuildPhase.SUPERSEDED, message=message)
        if was_under_way:
            self._tell(written, "Normal", "BuildSuperseded", message)
            self._metrics.ended("superseded")
        return written

    def handed_over(self, job_builder: JobBuilder, observation: Observation) -> JobBuilder:
        is_applied = observation.status == "True"
        is_news = is_applied and not job_builder.status.bundle_applied
        written = self.write(job_builder, observation, bundleApplied=is_applied or job_builder.status.bundle_applied)
        if is_news:
            note = f"WorkerBundle {written.spec.worker_bundle_name} has {written.status.image}"
            self._tell(written, "Normal", "BundleUpdated", note)
        return written

    def _tell(self, job_builder: JobBuilder, kind: Any, reason: str, note: str) -> None:
        self._recorder.record(job_builder, kind, reason, note, action=_ACTION)

    def _now(self) -> Any:
        return self._clock.now().replace(microsecond=0)
