"""Leader election on a Lease, with client-go's numbers.

Guarantees: at any time at most one replica leads, however the wall clocks
jump, whether renewals fail, hang or conflict, and also when somebody edits or
deletes the Lease that the candidates have seen; who cannot renew becomes a
candidate again and may lead later.
Not guaranteed: fencing. A write that was under way when the leadership ended
can still arrive, so writes must be conditional.
"""

import math
from typing import Any

import msgspec
import structlog
from prometheus_client import CollectorRegistry, Counter, Gauge

from apis.meta import GroupVersionKind, Key, ObjectMeta, ResourceType, Unstructured, micro_time
from framework.client import Client
from framework.clock import Clock
from framework.errors import AlreadyExists, ConfigurationError, Conflict, NotFound
from framework.manager.leadership import Leadership
from framework.manager.lease import RELEASED_SECONDS, ObservedLease
from framework.randomness import Random
from framework.runtime import Deadline, Runtime, Task, deadline_scope

LEASES = ResourceType(GroupVersionKind("coordination.k8s.io", "v1", "Lease"), "leases")
# A candidate pauses for one to 2.2 retry periods, so that candidates do not come in step.
JITTER_FACTOR = 1.2
_RELEASE_SECONDS = 2.0

_log = structlog.get_logger("windlass.leader")


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
    ) -> None:
        self._client = client
        self._key = lease
        self._identity = identity
        self._clock = clock
        self._runtime = runtime
        self._random = random
        self._options = options or LeaderOptions()
        self._lease = ObservedLease(clock)
        self.leading = Leadership(clock, runtime)
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
                self._stop.wait(self._options.retry_seconds * (1.0 + JITTER_FACTOR * self._random.random()))

    def _lead(self, acquired_at: float) -> None:
        _log.info("leading", lease=str(self._key), identity=self._identity)
        self._keep(acquired_at)
        self.leading.end()
        if not self._stop.is_set():
            _log.warning("leadership_lost", lease=str(self._key), holder=self._lease.holder, problem=self.problem)
        elif self._releases:
            self._release()

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
        self._write(self._renewal() if is_ours else self._takeover(self._lease.transitions + 1))
        return True

    def _recreate(self) -> bool:
        """Create the lease, unless it was deleted under a leader that we have seen: that one creates it again."""
        if self._lease.holder not in {"", self._identity} and not self._is_expired():
            return False
        metadata = ObjectMeta(name=self._key.name, namespace=self._key.namespace)
        content = {
            "metadata": {"name": metadata.name, "namespace": metadata.namespace},
            "spec": self._takeover(transitions=0),
        }
        self._lease.observe(self._client.create(Unstructured(metadata=metadata, content=content), kind=LEASES))
        return True

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
        renewal = self._renewal()
        return renewal | {"acquireTime": renewal["renewTime"], "leaseTransitions": transitions}

    def _write(self, spec: dict[str, Any]) -> None:
        version = self._lease.version
        self._lease.observe(self._client.merge_patch(LEASES, self._key, {"spec": spec}, resource_version=version))

    def _release(self) -> None:
        try:
            with deadline_scope(Deadline(self._clock.monotonic() + _RELEASE_SECONDS, _RELEASE_SECONDS)):
                self._lease.observe(self._client.get(LEASES, self._key))
                if self._lease.holder == self._identity:
                    now = micro_time(self._clock.now())
                    self._write({"holderIdentity": "", "leaseDurationSeconds": RELEASED_SECONDS, "renewTime": now})
        except Exception as error:  # noqa: BLE001 - it ends by itself, only later
            _log.info("lease_not_released", lease=str(self._key), error=str(error))
