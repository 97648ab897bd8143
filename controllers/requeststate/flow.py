"""A flow: the jobs of a request, in their order."""

import re

import msgspec

from apis.requeststate.v1 import RequestState

JOBS_ANNOTATION = "requeststate.windlass.dev/jobs"
_JOB = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,62}")


class InvalidFlow(ValueError):
    """A text that is no flow; the message says why, to be read after the text."""


class Flow(msgspec.Struct, frozen=True):
    jobs: tuple[str, ...]

    @classmethod
    def parse(cls, text: str) -> "Flow":
        jobs = tuple(part.strip() for part in text.split(","))
        for job in jobs:
            if not _JOB.fullmatch(job):
                raise InvalidFlow(f"has the job {job!r}; a job name matches {_JOB.pattern}")
        if len(set(jobs)) < len(jobs):
            raise InvalidFlow("names a job twice; a flow has each job once")
        return cls(jobs)

    def __contains__(self, job: str) -> bool:
        return job in self.jobs

    def after(self, job: str) -> str | None:
        """The job that follows *job*; None if it is the last."""
        position = self.jobs.index(job) + 1
        return self.jobs[position] if position < len(self.jobs) else None

    def __str__(self) -> str:
        return ",".join(self.jobs)


def flow_of(request_state: RequestState, default: Flow) -> Flow:
    """Its own flow, if it carries one; the director's otherwise."""
    annotation = request_state.metadata.annotations.get(JOBS_ANNOTATION)
    return default if annotation is None else Flow.parse(annotation)
