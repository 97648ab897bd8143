"""The certificate that a server shows, exchanged while it listens."""

import os
import ssl
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

import structlog

from framework.certificates.key_pair import KeyPair
from framework.certificates.metrics import CertificateMetrics
from framework.certificates.reading import facts_of
from framework.clock import Clock

_log = structlog.get_logger("windlass.certificates")


class ServingCertificate:
    """Keeps the last pair that fits until another one that fits is offered.

    Offered by one task, asked for by others. With *client_ca_file* clients
    must show a certificate of that authority; the file may change.
    """

    def __init__(
        self,
        new_context: Callable[[], ssl.SSLContext],
        *,
        clock: Clock,
        metrics: CertificateMetrics,
        client_ca_file: Path | None = None,
    ) -> None:
        self._new_context = new_context
        self._clock = clock
        self._metrics = metrics
        self._client_ca_file = client_ca_file
        self._shown: tuple[KeyPair, bytes] | None = None
        self._context: ssl.SSLContext | None = None
        self._ends_at: datetime | None = None
        self._last_problem = ""

    def context(self) -> ssl.SSLContext | None:
        """For the next connection; those that are open keep theirs."""
        return self._context

    @property
    def problem(self) -> str | None:
        """Why nobody can be served."""
        if self._ends_at is None:
            return f"there is no certificate yet{self._last_problem and ': ' + self._last_problem}"
        if self._ends_at <= self._clock.now():
            return f"the certificate ended at {self._ends_at:%Y-%m-%dT%H:%M:%SZ}"
        return None

    def offer(self, pair: KeyPair) -> bool:
        """Show *pair* from now on; false if it is of no use, and the one before stays."""
        self._metrics.reads.inc()
        try:
            self._take(pair, b"" if self._client_ca_file is None else self._client_ca_file.read_bytes())
        except (OSError, ValueError) as error:
            # An SSLError is an OSError; none of them quotes what it has read.
            self._refuse(f"certificate and key cannot be used: {error}")
            return False
        self._last_problem = ""
        return True

    def refuse(self, problem: str) -> None:
        """What was to be offered cannot even be read."""
        self._metrics.reads.inc()
        self._refuse(problem)

    def _refuse(self, problem: str) -> None:
        self._metrics.read_errors.inc()
        if problem != self._last_problem:
            self._last_problem = problem
            _log.warning("certificate_not_loaded", problem=problem, keeps_the_one_before=self._context is not None)

    def _take(self, pair: KeyPair, client_ca: bytes) -> None:
        if self._shown == (pair, client_ca):
            return
        context = self._new_context()
        _load(context, pair)
        if client_ca:
            context.load_verify_locations(cadata=client_ca.decode())
            context.verify_mode = ssl.CERT_REQUIRED
        facts = facts_of(pair.certificate)
        self._shown, self._context, self._ends_at = (pair, client_ca), context, facts.not_after
        self._metrics.expires("serving", facts.not_after)
        _log.info("certificate_loaded", until=facts.not_after.isoformat(), hosts=sorted(facts.hosts))


def _load(context: ssl.SSLContext, pair: KeyPair) -> None:
    """Raises SSLError unless the key is that of the certificate."""
    # The standard library loads from files only; this one has no name and never reaches a disk.
    descriptor = os.memfd_create("certificate", os.MFD_CLOEXEC)
    try:
        with os.fdopen(os.dup(descriptor), "wb") as file:
            file.write(pair.certificate + b"\n" + pair.key)
        context.load_cert_chain(f"/proc/self/fd/{descriptor}")
    finally:
        os.close(descriptor)
