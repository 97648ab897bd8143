"""What the pods of a build said at their end."""

import re
from collections.abc import Iterable

import msgspec

from apis.cfworker.jobbuilder import FailedScript, JobBuilder
from apis.core.v1 import ContainerStatus, Pod
from controllers.jobbuilder.job import build_labels
from controllers.workers.keys import JOB_BUILDER
from framework.client import Client

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_BAD_INPUT = 42
_LONGEST = 1024


class Report(msgspec.Struct, frozen=True, rename="camel"):
    """The termination message of one container."""

    ok: bool = False
    reason: str = ""
    message: str = ""
    failed_scripts: tuple[FailedScript, ...] = ()
    digest: str = ""


class PodReports:
    """Asked of the server, not of a cache: the Job may be known to have ended before its pods are."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def digest(self, job_builder: JobBuilder) -> str | None:
        for container in self._ended(job_builder):
            if container.exit_code == 0 and (report := _parsed(container.message)) and report.digest:
                return report.digest
        return None

    def failure(self, job_builder: JobBuilder) -> Report:
        for container in self._ended(job_builder):
            if container.exit_code == _BAD_INPUT:
                return _parsed(container.message) or Report(message=_one_line(container.message))
        return Report()

    def _ended(self, job_builder: JobBuilder) -> Iterable["_Ended"]:
        label = build_labels(job_builder)[JOB_BUILDER]
        pods = self._client.list(Pod, job_builder.metadata.namespace, labels=f"{JOB_BUILDER}={label}")
        for pod in sorted(pods, key=lambda each: each.metadata.name):
            for status in (*pod.status.init_container_statuses, *pod.status.container_statuses):
                if (ended := _ended(status)) is not None:
                    yield ended


class _Ended(msgspec.Struct, frozen=True):
    exit_code: int
    message: str


def _ended(status: ContainerStatus) -> _Ended | None:
    terminated = status.state.terminated if status.state else None
    return None if terminated is None else _Ended(terminated.exit_code, terminated.message)


def _parsed(message: str) -> Report | None:
    """A bare digest is what the other builders leave."""
    text = message.strip()
    if _DIGEST.fullmatch(text):
        return Report(ok=True, digest=text)
    try:
        report = msgspec.json.decode(text, type=Report)
    except (msgspec.DecodeError, msgspec.ValidationError):
        return None
    return report if not report.digest or _DIGEST.fullmatch(report.digest) else None


def _one_line(text: str) -> str:
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())[:_LONGEST]
