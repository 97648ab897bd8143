"""Credentials that `kubernetes.config` loads and refreshes."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import structlog

from framework.client.credentials import ClusterAddress
from framework.clock import Clock
from framework.errors import ConfigurationError

# The package looks at a token's expiry or file each time it is asked; a few seconds late is early enough.
REFRESH_SECONDS = 10.0

_log = structlog.get_logger("windlass.client")


class Loaded:
    """One loaded `Configuration` of the package, with its refresh hook."""

    def __init__(self, configuration: Any, address: ClusterAddress, token_file: Path | None = None) -> None:
        self._configuration = configuration
        self._token_file = token_file
        self.address = address

    def authorization(self) -> str | None:
        """Raises whatever the package raises."""
        # The package reads tokenFile once; a rotated one would never be seen.
        if self._token_file is not None:
            return f"Bearer {self._token_file.read_text().strip()}"
        configuration = self._configuration
        if configuration.refresh_api_key_hook is not None:
            with captured_log() as said:
                configuration.refresh_api_key_hook(configuration)
            if said:
                raise RuntimeError(said[-1])
        value = configuration.api_key.get("BearerToken") or configuration.api_key.get("authorization")
        return str(value).strip() if value else None


class PackageCredentials:
    """Tokens are looked at again every few seconds; one that cannot be read leaves the last one in use.

    They stay those of one server: a process whose kubeconfig now leads
    elsewhere must be started again, for its caches are of the old one.
    """

    def __init__(self, load: Callable[[], Loaded], clock: Clock) -> None:
        self._load = load
        self._clock = clock
        self._authorization: str | None = None
        self._fresh_until = 0.0
        self._problem = ""
        self._take(load())

    def address(self) -> ClusterAddress:
        return self._loaded.address

    def authorization(self) -> str | None:
        now = self._clock.monotonic()
        if now >= self._fresh_until:
            # First: an exec plugin takes its time, and the other tasks go on with what there is.
            self._fresh_until = now + REFRESH_SECONDS
            self._refresh()
        return self._authorization

    def reload(self) -> None:
        loaded = self._load()
        here, there = self._loaded.address.server, loaded.address.server
        if there != here:
            raise ConfigurationError(
                f"the credentials lead to {there} now, and no longer to {here}; start the process again to go there"
            )
        self._take(loaded)

    def _take(self, loaded: Loaded) -> None:
        self._loaded = loaded
        self._fresh_until = self._clock.monotonic() + REFRESH_SECONDS
        self._refresh()

    def _refresh(self) -> None:
        try:
            self._authorization = self._loaded.authorization()
        except Exception as error:  # noqa: BLE001 - the package and its plugins raise anything; see below
            # The old token may be good for a while; once it is not the server says so, and everything is loaded again.
            self._report(one_line(error))
        else:
            self._problem = ""

    def _report(self, problem: str) -> None:
        if problem != self._problem:
            _log.warning("credentials_not_refreshed", server=self._loaded.address.server, error=problem)
        self._problem = problem


@contextmanager
def captured_log() -> Iterator[list[str]]:
    """What the package logs instead of raising it: all that an exec plugin did wrong."""
    said: list[str] = []
    handler = logging.Handler(logging.ERROR)
    handler.addFilter(lambda record: record.module == "kube_config")
    handler.emit = lambda record: said.append(record.getMessage())  # type: ignore[method-assign]  # a class for one line
    root = logging.getLogger()
    root.addHandler(handler)
    try:
        yield said
    finally:
        root.removeHandler(handler)


def address_of(configuration: Any, master: str | None, **more: Any) -> ClusterAddress:
    """Everything that *configuration* says, its files read; *master* is another server with the same credentials."""
    if master:
        configuration.host = master
    return ClusterAddress(
        server=configuration.host.rstrip("/"),
        ca=_read(configuration.ssl_ca_cert),
        certificate=_read(configuration.cert_file),
        key=_read(configuration.key_file),
        verify=configuration.verify_ssl is not False,
        tls_server_name=configuration.tls_server_name,
        proxy=configuration.proxy,
        **more,
    )


def bypassed_hosts(configuration: Any) -> str:
    """Who is reached without the proxy that the environment names; as in Go, this machine always is."""
    return ",".join(filter(None, [configuration.no_proxy, "localhost,127.0.0.0/8,::1"]))


def one_line(error: object) -> str:
    return " ".join(str(error).split())


def _read(path: str | None) -> bytes | None:
    return Path(path).read_bytes() if path else None
