"""Leader election on a Lease, with client-go's numbers.

Guarantees: at any time at most one replica believes to lead, as long as no
process is stopped for longer than lease minus renew deadline; another's lease
is judged by how long this process has seen it unchanged on its own clock.
Not guaranteed: fencing. Writes must be conditional.
"""

from typing import Any

import msgspec
import structlog
from prometheus_client import CollectorRegistry, Gauge

from apis.meta import GroupVersionKind, Key, ObjectMeta, ResourceType, Unstructured, micro_time
from framework.client import Client
from framework.clock import Clock
from framework.errors import AlreadyExists, ConfigurationError, Conflict, NotFound, WindlassError
from framework.randomness import Random
from framework.runtime import Deadline, Runtime, Task, deadline_scope

LEASES = ResourceType(GroupVersionKind("coordination.k8s.io", "v1", "Lease"), "leases")
_JITTER = 1.2

_log = structlog.get_logger("windlass.leader")


class LeaderOptions(msgspec.Struct, frozen=True):
    lease_seconds: float = 15.0
    renew_deadline_seconds: float = 10.0
    retry_seconds: float = 2.0

    def __post_init__(self) -> None:
        if not self.lease_seconds > self.renew_deadline_seconds > self.retry_seconds * _JITTER:
            raise ConfigurationError(
                "leader election needs lease duration > renew deadline > 1.2 * retry period, "
                f"not {self.lease_seconds:g} > {self.renew_deadline_seconds:g} > 1.2 * {self.retry_seconds:g}"
            )


class LeaderMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self.status = Gauge(
            "leader_election_master_status", "1 while this process leads, else 0", ["name"], registry=registry
        )


class LeaderElector:
    """Sets `leading` while this process holds the Lease, and clears it when it no longer may."""

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
        self._status = metrics.status.labels(lease.name)
        self._status.set(0)
        self._stop = runtime.event()
        self.leading = runtime.event()
        self._task: Task | None = None
        # The lease as last seen, and since when it has been seen like that.
        self._observed: dict[str, Any] = {}
        self._observed_at = 0.0
        self._version = ""
        self.problem: str | None = None

    def start(self) -> None:
        self._task = self._runtime.spawn(f"leader-{self._key.name}", self._run)

    def stop(self) -> None:
        """Give the lease up; to be called when nothing that needs it runs any more."""
        self._stop.set()
        if self._task is not None:
            self._task.join(self._options.retry_seconds)

    def _run(self) -> None:
        while not self._stop.is_set():
            if self._try():
                self._lead()
            else:
                self._stop.wait(self._options.retry_seconds * self._random.uniform(1.0, _JITTER))

    def _lead(self) -> None:
        renewed_at = self._clock.monotonic()
        _log.info("leading", lease=str(self._key), identity=self._identity)
        self._status.set(1)
        self.leading.set()
        while not self._stop.wait(self._options.retry_seconds):
            started = self._clock.monotonic()
            if self._try():
                renewed_at = started
            elif self._holder not in {"", self._identity}:
                break
            if self._clock.monotonic() - renewed_at > self._options.renew_deadline_seconds:
                break
        self.leading.clear()
        self._status.set(0)
        if self._stop.is_set():
            self._release()
        else:
            _log.warning("leadership_lost", lease=str(self._key), problem=self.problem)

    @property
    def _holder(self) -> str:
        return str(self._observed.get("holderIdentity") or "")

    def _try(self) -> bool:
        """Get or renew the lease; false when another has it or the API server did not answer."""
        limit = self._options.renew_deadline_seconds / 2
        try:
            with deadline_scope(Deadline(self._clock.monotonic() + limit, limit)):
                got_it = self._renew_known() or self._acquire()
        except (Conflict, AlreadyExists):
            # Another was faster.
            self._version = ""
            return False
        except WindlassError as error:
            self._version = ""
            if str(error) != self.problem:
                _log.warning("lease_not_reached", lease=str(self._key), error=str(error))
            self.problem = str(error)
            return False
        self.problem = None
        return got_it

    def _renew_known(self) -> bool:
        """Renew without reading first, while nobody but us has written the lease."""
        if not self._version or self._holder != self._identity:
            return False
        try:
            self._write({"renewTime": micro_time(self._clock.now())})
        except Conflict:
            return False
        return True

    def _acquire(self) -> bool:
        try:
            self._observe(self._client.get(LEASES, self._key))
        except NotFound:
            self._create()
            return True
        if self._holder not in {"", self._identity} and not self._is_expired():
            return False
        now = micro_time(self._clock.now())
        spec: dict[str, Any] = {
            "holderIdentity": self._identity,
            "leaseDurationSeconds": int(self._options.lease_seconds),
            "renewTime": now,
        }
        if self._holder != self._identity:
            spec |= {"acquireTime": now, "leaseTransitions": int(self._observed.get("leaseTransitions") or 0) + 1}
        self._write(spec)
        return True

    def _is_expired(self) -> bool:
        duration = float(self._observed.get("leaseDurationSeconds") or self._options.lease_seconds)
        return self._clock.monotonic() - self._observed_at > duration

    def _create(self) -> None:
        now = micro_time(self._clock.now())
        spec = {
            "holderIdentity": self._identity,
            "leaseDurationSeconds": int(self._options.lease_seconds),
            "acquireTime": now,
            "renewTime": now,
            "leaseTransitions": 0,
        }
        metadata = ObjectMeta(name=self._key.name, namespace=self._key.namespace)
        content = {"metadata": {"name": metadata.name, "namespace": metadata.namespace}, "spec": spec}
        self._observe(self._client.create(Unstructured(metadata=metadata, content=content), kind=LEASES))

    def _write(self, spec: dict[str, Any]) -> None:
        self._observe(self._client.merge_patch(LEASES, self._key, {"spec": spec}, resource_version=self._version))

    def _observe(self, lease: Unstructured) -> None:
        spec = lease.content.get("spec") or {}
        if spec != self._observed:
            self._observed, self._observed_at = spec, self._clock.monotonic()
        self._version = lease.metadata.resource_version

    def _release(self) -> None:
        try:
            if self._version and self._holder == self._identity:
                # client-go leaves a lease of one second: whoever looks takes it at once.
                self._write({"holderIdentity": "", "leaseDurationSeconds": 1})
        except WindlassError as error:
            _log.info("lease_not_released", lease=str(self._key), error=str(error))
