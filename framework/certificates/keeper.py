"""Looks after the certificates of one service: issues, rotates, shows and has them trusted.

Every replica does all of it. They agree by conditional writes alone: who
writes on top of something that another one has changed meanwhile gets a
conflict, and looks again.
"""

from collections.abc import Sequence

import structlog

from framework.certificates.material import Material
from framework.certificates.metrics import CertificateMetrics
from framework.certificates.options import CertificateOptions
from framework.certificates.reading import facts_of
from framework.certificates.rotation import Rotation
from framework.certificates.secret_store import SECRET, SecretStore, Stored
from framework.certificates.serving import ServingCertificate
from framework.certificates.trust import Place, Reading, TrustTarget
from framework.clock import Clock
from framework.errors import AlreadyExists, Conflict, WindlassError
from framework.runtime import Runtime, Task

_END_SECONDS = 5.0
_AFTER_CONFLICT_SECONDS = 0.2
_LEAST_PAUSE_SECONDS = 0.1
_MOST_DOUBLINGS = 20

_log = structlog.get_logger("windlass.certificates")


class CertificateKeeper:
    def __init__(
        self,
        store: SecretStore,
        rotation: Rotation,
        serving: ServingCertificate,
        targets: Sequence[TrustTarget],
        *,
        clock: Clock,
        runtime: Runtime,
        metrics: CertificateMetrics,
        options: CertificateOptions,
    ) -> None:
        self._store = store
        self._rotation = rotation
        self._serving = serving
        self._targets = tuple(targets)
        self._clock = clock
        self._runtime = runtime
        self._metrics = metrics
        self._options = options
        # Invariant: all targets were seen to trust _trusted_bundle at each look since _trusted_since.
        self._trusted_bundle = b""
        self._trusted_since = 0.0
        self._known: Material | None = None
        self._was_trusted_once = False
        self._last_failure = ""
        # Rounds in a row in which something was written: as long as it goes on, somebody undoes what we do.
        self._busy_rounds = 0
        self._has_written = False
        self._wake_up = runtime.event()
        self._stopping = runtime.event()
        self._task: Task | None = None

    @property
    def problem(self) -> str | None:
        """Why the API server cannot call us yet. What fails later is for the alert: we can be called all the same."""
        untold = None if self._was_trusted_once else "the API server was not told our CA yet"
        problem = self._serving.problem or untold
        return f"{problem}; {self._last_failure}" if problem and self._last_failure else problem

    @property
    def places(self) -> list[Place]:
        """All whose changes are a reason to look."""
        return [Place(SECRET, self._store.key), *(target.place for target in self._targets)]

    def start(self) -> None:
        self._task = self._runtime.spawn("certificates", self._run)

    def wake(self) -> None:
        """Look now: something has changed."""
        self._wake_up.set()

    def stop(self) -> None:
        self._stopping.set()
        self._wake_up.set()
        if self._task is not None:
            self._task.join(_END_SECONDS)

    def _run(self) -> None:
        while not self._stopping.is_set():
            self._wake_up.clear()
            pause = self._round_and_pause()
            # Whatever happens, not at once: two who write against each other must not do it as fast as they can.
            self._stopping.wait(min(self._least_pause(), pause))
            self._wake_up.wait(max(0.0, pause - self._least_pause()))

    def _least_pause(self) -> float:
        return float(min(_LEAST_PAUSE_SECONDS * 2**self._busy_rounds, self._options.poll_seconds))

    def _round_and_pause(self) -> float:
        try:
            self.round()
        except (Conflict, AlreadyExists):
            # Another replica was faster, or somebody else; what they did is to be looked at.
            return _AFTER_CONFLICT_SECONDS
        except WindlassError as error:
            self._failed(str(error))
        except Exception as error:  # noqa: BLE001 - without this task the certificate would end some day, and nobody knew
            _log.error("certificates_failed", exc_info=error)
            self._failed(f"{type(error).__name__}: {error}")
        else:
            self._last_failure = ""
        return self._options.poll_seconds

    def round(self) -> None:
        """Look once and do what is due; raises what it could not do, after all that it could."""
        # Order: the places first, then the Secret. Who writes a bundle has then read it after the place, so that an old
        # bundle can never replace a newer one: the place would be another version by then.
        self._has_written = False
        readings, failures = self._read_targets()
        stored = self._store.read()
        material = self._kept(stored, readings, is_complete=not failures)
        self._known = material
        self._serving.offer(material.serving)
        self._metrics.expires("authority", facts_of(material.authority.certificate).not_after)
        failures += self._have_trusted(readings, material.bundle)
        self._note_trust(material.bundle, is_trusted=not failures)
        self._busy_rounds = min(self._busy_rounds + 1, _MOST_DOUBLINGS) if self._has_written else 0
        if failures:
            raise failures[0]

    def _read_targets(self) -> tuple[list[tuple[TrustTarget, Reading]], list[WindlassError]]:
        readings: list[tuple[TrustTarget, Reading]] = []
        failures: list[WindlassError] = []
        for target in self._targets:
            try:
                readings.append((target, target.read()))
            except WindlassError as error:
                failures.append(error)
        return readings, failures

    def _kept(self, stored: Stored, readings: list[tuple[TrustTarget, Reading]], *, is_complete: bool) -> Material:
        found = stored.material
        if found is not None and self._rotation.is_usable(found):
            is_trusted = is_complete and all(reading.trusts(found.bundle) for _, reading in readings)
            wanted = self._rotation.next(found, trusted_seconds=self._trusted_seconds(found.bundle, is_trusted))
        elif self._known is not None and self._rotation.is_usable(self._known):
            wanted = self._rotation.restarted(self._known)
        else:
            wanted = self._rotation.fresh()
        if wanted is not found:
            self._has_written = True
            self._store.write(wanted, stored.version)
            _log.info(
                "certificates_written", secret_name=str(self._store.key), in_rotation=wanted.successor is not None
            )
        return wanted

    def _trusted_seconds(self, bundle: bytes, is_trusted: bool) -> float | None:  # noqa: FBT001 - private
        if not is_trusted or bundle != self._trusted_bundle:
            return None
        return self._clock.monotonic() - self._trusted_since

    def _have_trusted(self, readings: list[tuple[TrustTarget, Reading]], bundle: bytes) -> list[WindlassError]:
        failures: list[WindlassError] = []
        for target, reading in readings:
            if reading.trusts(bundle):
                continue
            self._has_written = True
            try:
                reading.write(bundle)
            except WindlassError as error:
                failures.append(error)
            else:
                # Told only now: the time begins again.
                self._trusted_bundle = b""
                _log.info("ca_bundle_written", target=str(target.place))
        return failures

    def _note_trust(self, bundle: bytes, *, is_trusted: bool) -> None:
        if not is_trusted:
            self._trusted_bundle = b""
        elif bundle != self._trusted_bundle:
            self._trusted_bundle, self._trusted_since = bundle, self._clock.monotonic()
            self._was_trusted_once = True

    def _failed(self, why: str) -> None:
        self._metrics.failures.inc()
        if why != self._last_failure:
            self._last_failure = why
            _log.warning("certificates_not_settled", problem=why)
