"""Which of a WorkerDeployment's releases is newer."""

from apis.cfworker.workerrelease import WorkerRelease
from controllers.workers.keys import REVISION


def revision_of(release: WorkerRelease) -> int:
    """0 if somebody took it off."""
    text = release.metadata.annotations.get(REVISION, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 19 else 0  # noqa: PLR2004 - of an int64
