"""Leader election on a Lease, with client-go's numbers.

Guarantees: at any time at most one replica leads, however the wall clocks
jump, whether renewals fail, hang or conflict, and also when somebody edits or
deletes the Lease that the candidates have seen; who cannot renew becomes a
candidate again and may lead later. Between the end of a term and the moment at
which another may lead lies a margin of lease minus renew deadline; writes are
cut off at its beginning, so it is the time that the network has to drop them.
Not guaranteed: see docs/decisions/0007-fencing.md.
"""

import math
from typing import Any, Protocol

import msgspec
import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge

from apis.meta import GroupVersionKind, Key, ObjectMeta, ResourceType, Unstructured, micro_time
from framework.client import Client
from framework.clock import Clock
from framework.errors import AlreadyExists, ConfigurationError, Conflict, NotFound
from framework.manager.acted_upon import ANNOTATION
from framework.manager.leadership import Leadership
from framework.manager.lease import RELEASED_SECONDS, ObservedLease
from framework.randomness import Random
from framework.runtime import Deadline, Runtime, Task, deadline_scope

LEASES = ResourceType(GroupVersionKind("coordination.k8s.io", "v1", "Lease"), "leases")
# A candidate pauses for one to 2.2 retry periods, so that candidates do not come in step.
JITTER_FACTOR = 1.2
_RELEASE_SECONDS = 2.0
# A lease has expired when more than its duration has passed.
_EXPIRED_SECONDS = 0.001

_log = structlog.get_logger("windlass.leader")


class Succession(Protocol):
    """What one leader leaves to the next, in an annotation of the Lease."""

    def inherit(self, recorded: str, *, is_whole: bool) -> None:
        """The Lease is about to be taken over; *recorded* is what it says, all of it if the last leader gave it up."""

    def begin(self, *, is_takeover: bool) -> None:
        """It is ours now, and nobody has been told yet; not a takeover if nobody else can have led meanwhile."""

    def record(self) -> str:
        """What the Lease shall say with the next renewal."""


class LeaderOptions(msgspec.Struct, frozen=True):
    lease_seconds: float = 15.0
    renew_deadline_seconds: float = 10.0
    retry_seconds: float = 2.0

    def __post_init__(self) -> None:
        if not self.lease_seconds > self.renew_deadline_seconds > self.retry_seconds * JITTER_FACTOR > 0:
            raise ConfigurationError(
                "leader election needs lease duration > renew deadline > 1.2 * retry period > 0, "
                f"not {self.lease_seconds:g} > {self.renew_deadline_seconds:g} > 1.2 * {self.retry_seconds:g}"
            )


class LeaderMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.status = Gauge(
            "leader_election_master_status", "1 while this process leads, else 0", ["name"], registry=registry
        )
        self.refused = Counter(
            "windlass_leader_writes_refused_total",
            "Writes of leader-elected controllers that were not sent, or cut off, because the term was over",
            ["name"],
            registry=registry,
        )
        self.behind = Gauge(
            "windlass_leader_caches_behind",
            "Caches that must catch up with the leader before, until which controllers wait",
            ["name"],
            registry=registry,
        )
        self.slow_path = Counter(
            "leader_election_slowpath_total",
            "Renewals that had to read the lease first, because another had written it",
            ["name"],
            registry=registry,
        )


class LeaderElector:
    """`leading` is set while this process holds the Lease, and no longer than it may."""

    def __init__(
        self,
        client: Client,
        lease: Key,
        identity: str,
        *,
        clock: Clock,
        runtime: Runtime,
        random: Random,
        metrics: LeaderMetrics,
        options: LeaderOptions | None = None,
        succession: Succession | None = None,
    ) -> None:
        self._client = client
        self._key = lease
        self._identity = identity
        self._clock = clock
        self._runtime = runtime
        self._random = random
        self._options = options or LeaderOptions()
        self._lease = ObservedLease(clock)
        refused = metrics.refused.labels(lease.name)
        self.leading = Leadership(clock, runtime, name=f"lease {lease}", on_refusal=refused.inc)
        self._succession = succession
        # Whether the lease, when it was got last, had been another's, or an earlier process' of our name.
        self._is_takeover = True
        metrics.status.labels(lease.name).set_function(lambda: float(self.leading.is_set()))
        self._slow_path = metrics.slow_path.labels(lease.name)
        self._stop = runtime.event()
        self._releases = True
        self._task: Task | None = None
        # Why the lease can be neither read nor written, in one line; None when it can.
        self.problem: str | None = None

    def start(self) -> None:
        self._task = self._runtime.spawn(f"leader-{self._key.name}", self._run)

    def stop(self, *, release: bool = True, timeout: float = 5.0) -> None:
        """Lead no more. With *release* another can take over at once, so nothing that needs the lease may still run."""
        self._releases = release
        self._stop.set()
        if self._task is not None:
            self._task.join(timeout)

    def _run(self) -> None:
        while not self._stop.is_set():
            started = self._clock.monotonic()
            if self._try(started + self._options.renew_deadline_seconds):
                self._lead(started)
            else:
                self._stop.wait(self._pause_seconds())

    def _pause_seconds(self) -> float:
        pause = self._options.retry_seconds * (1.0 + JITTER_FACTOR * self._random.random())
        expires_in = self._lease.expires_in_seconds(self._options.lease_seconds)
        # Whoever sees the lease run out looks at that moment, and not up to a pause later.
        return min(pause, expires_in + _EXPIRED_SECONDS) if expires_in >= 0 else pause

    def _lead(self, acquired_at: float) -> None:
        _log.info("leading", lease=str(self._key), identity=self._identity)
        self._begin_term()
        self._keep(acquired_at)
        self.leading.end()
        if not self._stop.is_set():
            _log.warning("leadership_lost", lease=str(self._key), holder=self._lease.holder, problem=self.problem)
        elif self._releases:
            self._release()

    def _begin_term(self) -> None:
        is_takeover, self._is_takeover = self._is_takeover, False
        if self._succession is None:
            return
        try:
            self._succession.begin(is_takeover=is_takeover)
        except Exception:  # noqa: BLE001 - an elector that dies never leads again
            _log.exception("takeover_failed", lease=str(self._key))

    def _keep(self, acquired_at: float) -> None:
        """Renew until it is too late, another has the lease, or a stop comes."""
        # Counted from before the request: whoever sees our write sees it later than that.
        ends_at = acquired_at + self._options.renew_deadline_seconds
        self.leading.hold_until(ends_at)
        while not self._stop.wait(min(self._options.retry_seconds, ends_at - self._clock.monotonic())):
            started = self._clock.monotonic()
            if started >= ends_at:
                return
            if self._try(ends_at):
                ends_at = started + self._options.renew_deadline_seconds
                self.leading.hold_until(ends_at)
            elif self._lease.holder not in {"", self._identity}:
                return

    def _try(self, ends_at: float) -> bool:
        """Get or renew the lease; false when another has it or the API server did not answer in time."""
        try:
            with deadline_scope(Deadline(ends_at, self._options.renew_deadline_seconds)):
                has_it = self._renew_known() or self._acquire()
        except (Conflict, AlreadyExists):
            # Another was faster.
            self._lease.version = ""
            has_it = False
        except Exception as error:  # noqa: BLE001 - an elector that dies of one bad answer never leads again
            self._lease.version = ""
            self._note_problem(str(error))
            return False
        self.problem = None
        return has_it

    def _note_problem(self, problem: str) -> None:
        if problem != self.problem:
            _log.warning("lease_not_reached", lease=str(self._key), error=problem)
        self.problem = problem

    def _renew_known(self) -> bool:
        """Renew without reading first, while nobody but us has written the lease."""
        if not self._lease.version or self._lease.holder != self._identity:
            return False
        try:
            self._write({"renewTime": micro_time(self._clock.now())})
        except (Conflict, NotFound):
            self._slow_path.inc()
            return False
        return True

    def _acquire(self) -> bool:
        try:
            self._lease.observe(self._client.get(LEASES, self._key))
        except NotFound:
            return self._recreate()
        if not self._is_ours_to_take():
            return False
        is_ours = self._lease.holder == self._identity
        if self._is_takeover or not is_ours:
            self._inherit(is_whole=self._lease.is_released)
        self._write(self._renewal() if is_ours else self._takeover(self._lease.transitions + 1))
        return True

    def _recreate(self) -> bool:
        """Create the lease, unless it was deleted under a leader that we have seen: that one creates it again."""
        has_seen_another = self._lease.holder not in {"", self._identity}
        if has_seen_another and not self._is_expired():
            return False
        if self._is_takeover or has_seen_another:
            self._inherit(is_whole=not has_seen_another)
        metadata = ObjectMeta(name=self._key.name, namespace=self._key.namespace)
        content = {
            "metadata": {"name": metadata.name, "namespace": metadata.namespace},
            "spec": self._takeover(transitions=0),
        }
        self._lease.observe(self._client.create(Unstructured(metadata=metadata, content=content), kind=LEASES))
        return True

    def _inherit(self, *, is_whole: bool) -> None:
        if self._succession is not None:
            self._succession.inherit(self._lease.annotation(ANNOTATION), is_whole=is_whole)

    def _is_ours_to_take(self) -> bool:
        lease = self._lease
        # Wiped out by hand while we lead: candidates wait, we need not.
        is_wiped_out = not lease.holder and self.leading.is_set()
        return lease.holder == self._identity or lease.is_released or is_wiped_out or self._is_expired()

    def _is_expired(self) -> bool:
        return self._lease.is_expired(self._options.lease_seconds)

    def _renewal(self) -> dict[str, Any]:
        return {
            "holderIdentity": self._identity,
            # Rounded up: others must not count shorter than we do.
            "leaseDurationSeconds": math.ceil(self._options.lease_seconds),
            "renewTime": micro_time(self._clock.now()),
        }

    def _takeover(self, transitions: int) -> dict[str, Any]:
        self._is_takeover = True
        renewal = self._renewal()
        return renewal | {"acquireTime": renewal["renewTime"], "leaseTransitions": transitions}

    def _write(self, spec: dict[str, Any]) -> None:
        patch: dict[str, Any] = {"spec": spec}
        record = "" if self._succession is None else self._succession.record()
        if record and record != self._lease.annotation(ANNOTATION):
            patch["metadata"] = {"annotations": {ANNOTATION: record}}
        version = self._lease.version
        self._lease.observe(self._client.merge_patch(LEASES, self._key, patch, resource_version=version))

    def _release(self) -> None:
        try:
            with deadline_scope(Deadline(self._clock.monotonic() + _RELEASE_SECONDS, _RELEASE_SECONDS)):
                self._lease.observe(self._client.get(LEASES, self._key))
                if self._lease.holder == self._identity:
                    now = micro_time(self._clock.now())
                    self._write({"holderIdentity": "", "leaseDurationSeconds": RELEASED_SECONDS, "renewTime": now})
        except Exception as error:  # noqa: BLE001 - it ends by itself, only later
            _log.info("lease_not_released", lease=str(self._key), error=str(error))
