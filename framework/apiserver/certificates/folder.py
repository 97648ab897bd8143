"""An authority and what it has issued, in a folder."""

import fcntl
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

from framework.apiserver.certificates.inspection import is_authority, is_client_of, is_server_of
from framework.certificates.authority import LIFETIME, Authority
from framework.certificates.key_pair import KeyPairFiles
from framework.clock import Clock

# All that an API server on this machine is called, also by what believes to run in a cluster.
SERVER_HOSTS = (
    "localhost",
    "127.0.0.1",
    "::1",
    "kubernetes",
    "kubernetes.default",
    "kubernetes.default.svc",
    "kubernetes.default.svc.cluster.local",
)
# A process that starts with a certificate must be able to run this long.
_LEAST_REST = timedelta(days=30)


class CertificateFolder:
    """Gives files that are fit for use now; makes those that are not. Processes may share the folder."""

    def __init__(self, folder: Path, *, clock: Clock) -> None:
        self._folder = folder
        self._clock = clock
        self._authority_files = self._files("ca")

    @property
    def ca_file(self) -> Path:
        """There after the first call of `server` or `client`."""
        return self._authority_files.certificate_file

    def server(self, hosts: Sequence[str] = SERVER_HOSTS, *, name: str = "server") -> KeyPairFiles:
        """The files *name*.crt and *name*.key, for a server that is reached under *hosts*."""
        files = self._files(name)
        until = self._clock.now() + _LEAST_REST
        with self._locked():
            authority = self._authority()
            if not is_server_of(self.ca_file, files, hosts, until=until):
                files.write(authority.issue_server(hosts))
        return files

    def client(self, common_name: str, organizations: Sequence[str] = (), *, name: str) -> KeyPairFiles:
        """The files *name*.crt and *name*.key, for the user *common_name* in the groups *organizations*."""
        files = self._files(name)
        until = self._clock.now() + _LEAST_REST
        with self._locked():
            authority = self._authority()
            if not is_client_of(self.ca_file, files, common_name, organizations, until=until):
                files.write(authority.issue_client(common_name, organizations))
        return files

    def _authority(self) -> Authority:
        files = self._authority_files
        # Whatever it issues must not outlive it.
        if is_authority(files, until=self._clock.now() + LIFETIME):
            return Authority(files.read(), clock=self._clock)
        authority = Authority.create(clock=self._clock)
        files.write(authority.pair)
        return authority

    def _files(self, name: str) -> KeyPairFiles:
        return KeyPairFiles(self._folder / f"{name}.crt", self._folder / f"{name}.key")

    @contextmanager
    def _locked(self) -> Iterator[None]:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with (self._folder / ".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
