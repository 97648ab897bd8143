"""Certificates that somebody else puts into a folder."""

from pathlib import Path

from framework.certificates.key_pair import KeyPair
from framework.certificates.serving import ServingCertificate
from framework.certificates.trust import Place
from framework.runtime import Runtime, Task

_END_SECONDS = 5.0


class FolderWatcher:
    """Shows tls.crt and tls.key of a folder, such as a mounted Secret, and follows their changes.

    Looks every few seconds, as a mounted Secret is exchanged by renaming a
    folder that no notification of a file tells of.
    """

    def __init__(self, folder: Path, serving: ServingCertificate, *, runtime: Runtime, poll_seconds: float) -> None:
        self._folder = folder
        self._serving = serving
        self._runtime = runtime
        self._poll_seconds = poll_seconds
        self._stopping = runtime.event()
        self._task: Task | None = None

    @property
    def problem(self) -> str | None:
        return self._serving.problem

    @property
    def places(self) -> list[Place]:
        """Nothing in the cluster."""
        return []

    def start(self) -> None:
        self.look()
        self._task = self._runtime.spawn("certificates", self._run)

    def wake(self) -> None:
        """Nothing can call for it."""

    def stop(self) -> None:
        self._stopping.set()
        if self._task is not None:
            self._task.join(_END_SECONDS)

    def look(self) -> None:
        try:
            pair = KeyPair((self._folder / "tls.crt").read_bytes(), (self._folder / "tls.key").read_bytes())
        except OSError as error:
            self._serving.refuse(f"{error.filename}: {error.strerror}")
            return
        self._serving.offer(pair)

    def _run(self) -> None:
        while not self._stopping.wait(self._poll_seconds):
            self.look()
