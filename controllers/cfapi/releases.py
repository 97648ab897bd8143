"""Waits until an upload has become a WorkerRelease, so that what its client asks next finds it."""

from collections.abc import Callable, Iterable

from apis.cfworker.workerrelease import WorkerRelease
from framework.clock import Clock
from framework.runtime import Runtime
from framework.store import Change

VERSION_INDEX = "cf-api/version-id"


def version_ids(release: WorkerRelease) -> Iterable[str]:
    """An index: the version that a release is of."""
    return [release.spec.version_id] if release.spec.version_id else []


class ReleaseArrivals:
    """A handler of the informer of WorkerReleases."""

    def __init__(self, is_there: Callable[[str], bool], clock: Clock, runtime: Runtime) -> None:
        self._is_there = is_there
        self._clock = clock
        self._changed = runtime.condition()
        self._is_stopped = False

    def on_change(self, change: Change[WorkerRelease]) -> None:
        if change.old is None:
            with self._changed:
                self._changed.notify_all()

    def stop(self) -> None:
        """Nobody waits any more."""
        with self._changed:
            self._is_stopped = True
            self._changed.notify_all()

    def wait_for(self, version_id: str, seconds: float) -> bool:
        """Whether the release of *version_id* came within *seconds*."""
        deadline = self._clock.monotonic() + seconds
        with self._changed:
            while not self._is_there(version_id):
                left = deadline - self._clock.monotonic()
                if left <= 0 or self._is_stopped or not self._changed.wait(left):
                    return self._is_there(version_id)
        return True
