"""Which scripts of a release cannot be built; remembered when the build itself is gone."""

from collections.abc import Mapping

import msgspec

from apis.cfworker.workerrelease import FailedEntry, WorkerRelease
from controllers.workers.keys import RETRY


class Failures(msgspec.Struct, frozen=True):
    entries: tuple[FailedEntry, ...]
    ignored: tuple[str, ...]
    retry_seen: str


def failures_of(release: WorkerRelease, builds: Mapping[str, list[FailedEntry]]) -> Failures:
    """*builds* are those that failed by this release, by their ids."""
    status, wanted = release.status, release.metadata.annotations.get(RETRY, "")
    if wanted != status.retry_seen:
        # What has failed so far has been answered; the same build cannot fail the release again.
        return Failures((), tuple(sorted({*status.ignored_builds, *builds})), wanted)
    found = {entry.script_name: entry for entry in status.failed_scripts if _is_current(release, entry)}
    for build, entries in builds.items():
        if build not in status.ignored_builds:
            found |= {entry.script_name: entry for entry in entries if _is_current(release, entry)}
    kept = tuple(build for build in status.ignored_builds if build in builds)
    return Failures(tuple(found[name] for name in sorted(found)), kept, wanted)


def _is_current(release: WorkerRelease, entry: FailedEntry) -> bool:
    """A script of an account can get another URL; that of a release cannot."""
    versions = release.spec.worker_versions
    return versions is None or versions.get(entry.script_name) == entry.url
