"""The whole thing on one machine: server, built-in controllers, HTTP front end, certificates, kubeconfig."""

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from framework.apiserver.audit import AuditedHandler
from framework.apiserver.auth import SigningKey, new_pem
from framework.apiserver.certificates import CertificateFolder, client_certificate, write_kubeconfig
from framework.apiserver.companions import ChooseControllers, Companions, everything
from framework.apiserver.server import ADMIN, ApiServer, ServerOptions
from framework.apiserver.storage import Journal
from framework.certificates.private_file import write_private_file
from framework.clock import Clock, SystemClock
from framework.errors import ConfigurationError
from framework.http.exchange import Handler
from framework.http.options import HttpOptions
from framework.http.server import HttpServer
from framework.http.tls import ServerTls
from framework.loading import LOADING
from framework.randomness import Random, system_random
from framework.runtime import Runtime, ThreadRuntime

_KEY_FILE, _DATABASE = "service-accounts.key", "objects.sqlite"


class EmbeddedOptions(msgspec.Struct, frozen=True):
    port: int = 0
    # What is written survives the end of the process; else all is in memory.
    is_durable: bool = False
    # What runs beside the server: `essential` alone where others play the workloads, or any choice of their entries.
    controllers: ChooseControllers = everything
    # Gets a line for each request.
    audit_log: Path | None = None
    server: ServerOptions = ServerOptions()
    http: HttpOptions = HttpOptions()


class EmbeddedServer:
    """A Kubernetes API on loopback in this process; *folder* gets keys, the kubeconfig and, if durable, the objects."""

    def __init__(
        self,
        folder: Path,
        *,
        options: EmbeddedOptions | None = None,
        clock: Clock | None = None,
        runtime: Runtime | None = None,
        random: Random | None = None,
    ) -> None:
        self._folder = folder.absolute()
        self._options = options or EmbeddedOptions()
        self._clock = clock or SystemClock()
        self._runtime = runtime or ThreadRuntime()
        self._random = random or system_random()
        self._certificates = CertificateFolder(self._folder / "pki", clock=self._clock)
        self._port = self._options.port
        self._api: ApiServer | None = None
        self._companions: Companions | None = None
        self._audited: AuditedHandler | None = None
        self._http: HttpServer | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """Return when requests are answered. The port is kept for later starts."""
        try:
            self._start()
        except OSError as error:
            self.stop(0)
            message = f"cannot use the folder {self._folder}: {error}; choose one that can be written to"
            raise ConfigurationError(message) from error
        except BaseException:
            self.stop(0)
            raise

    def _start(self) -> None:
        server_files = self._certificates.server()
        self._api = api = self._make_server()
        tls = ServerTls(server_files.certificate_file, server_files.key_file, client_ca_file=self._certificates.ca_file)
        self._http = HttpServer(
            self._handler(api),
            port=self._port,
            tls=tls,
            clock=self._clock,
            runtime=self._runtime,
            options=self._options.http,
        )
        self._http.start()
        self._port = self._http.port
        self.kubeconfig_for(ADMIN.common_name, ADMIN.organizations, path=self.kubeconfig)
        self._companions = Companions(api, self._options.controllers)
        self._companions.start()

    def stop(self, grace_seconds: float = 5.0) -> None:
        if self._http is not None:
            self._http.stop(grace_seconds)
            self._http = None
        if self._audited is not None:
            self._audited.close()
            self._audited = None
        if self._companions is not None:
            self._companions.stop()
            self._companions = None
        if self._api is not None:
            self._api.close()
            self._api = None

    @property
    def api(self) -> ApiServer:
        assert self._api is not None, "the server is not running"  # noqa: S101 - a bug of the caller
        return self._api

    @property
    def url(self) -> str:
        return f"https://127.0.0.1:{self._port}"

    @property
    def kubeconfig(self) -> Path:
        """A kubeconfig for an administrator."""
        return self._folder / "kubeconfig"

    @property
    def ca_file(self) -> Path:
        return self._certificates.ca_file

    def kubeconfig_for(self, user: str, groups: Sequence[str] = (), *, path: Path | None = None) -> Path:
        """A kubeconfig with a client certificate for *user*, written to *path*."""
        pair = self._certificates.client(user, groups, name=f"client-{user}").read()
        path = path or self._folder / f"{user}.kubeconfig"
        return write_kubeconfig(path, server=self.url, ca=self.ca_file.read_bytes(), user=client_certificate(pair))

    def client_files(self, user: str, groups: Sequence[str] = ()) -> tuple[Path, Path]:
        """The files of a certificate and its key for *user*."""
        files = self._certificates.client(user, groups, name=f"client-{user}")
        return files.certificate_file, files.key_file

    def _handler(self, api: ApiServer) -> Handler:
        if self._options.audit_log is None:
            return api
        self._audited = AuditedHandler(api, self._options.audit_log, self._clock)
        return self._audited

    def _make_server(self) -> ApiServer:
        journal = self._journal() if self._options.is_durable else None
        return ApiServer(
            clock=self._clock,
            runtime=self._runtime,
            random=self._random,
            journal=journal,
            options=self._options.server,
            signing_key=SigningKey(self._signing_key) if self._options.is_durable else None,
        )

    def _journal(self) -> Journal:
        # SQLite is loaded by those who use it.
        with LOADING:
            from framework.apiserver.storage.sqlite import SqliteJournal

        return SqliteJournal(self._folder / _DATABASE)

    def _signing_key(self) -> bytes:
        """The same one each time, so that tokens outlive a restart."""
        path = self._folder / _KEY_FILE
        if not path.exists():
            write_private_file(path, new_pem())
        return path.read_bytes()
