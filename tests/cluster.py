"""What a test needs of a cluster, whichever API server is behind it."""

import signal
from pathlib import Path
from typing import Protocol


class Cluster(Protocol):
    @property
    def url(self) -> str: ...

    @property
    def kubeconfig(self) -> Path:
        """A kubeconfig for an administrator."""

    @property
    def ca_file(self) -> Path: ...

    @property
    def token(self) -> str:
        """The administrator's token."""

    def kubeconfig_for(self, user: str) -> Path:
        """A kubeconfig for `nobody`, `alice` or `bob`, who may do nothing until a test lets them."""

    def restart_apiserver(self, how: signal.Signals = signal.SIGTERM) -> None:
        """Return when it is ready again: same port, same data."""
