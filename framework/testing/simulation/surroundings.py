"""What a request meets on its way beside its own fault: servers that are behind, networks that are cut, lost leases."""

from typing import Protocol

import msgspec

from framework.client import HttpRequest
from framework.clock import Clock
from framework.errors import ConnectError, TimedOut
from framework.testing.simulation.network import Network
from framework.testing.simulation.plan import Fault
from framework.testing.simulation.replica import Replica
from framework.testing.simulation.store import Commit
from framework.testing.simulation.trace import Step, Trace


class Powers(Protocol):
    """What can be done to the whole of a run."""

    @property
    def own_commit(self) -> Commit | None:
        """The last one that the running task has made."""

    @property
    def reviews(self) -> int:
        """How often webhooks have been asked."""

    def act(self, fault: Fault) -> None:
        """As the user, or as a stranger."""

    def crash(self, process: str, seconds: float) -> None:
        """End the life of *process*, and begin another one after *seconds*."""

    def signal(self, process: str, fault: Fault) -> None:
        """Stop *process* for a while, or ask it to end."""

    def sever(self, process: str, fault: Fault) -> None:
        """Cut *process* off from a cluster."""

    def disturb_webhooks(self, fault: Fault) -> None:
        """Let them fail for a while."""


class Before(msgspec.Struct, frozen=True):
    """How things were when a request was sent."""

    commit: Commit | None
    reviews: int


class Surroundings:
    """Of one life of a process and one cluster."""

    def __init__(
        self,
        process: str,
        cluster: str,
        *,
        replica: Replica,
        network: Network,
        powers: Powers,
        trace: Trace,
        clock: Clock,
    ) -> None:
        self._process = process
        self.cluster = cluster
        self._replica = replica
        self._network = network
        self._powers = powers
        self._trace = trace
        self._clock = clock
        # Faults that last, and until when.
        self._refusals: list[tuple[Fault, float]] = []

    def disturb(self, fault: Fault, step: Step) -> None:
        """Begin what is not about this request, and happens when it is made."""
        step.note = f"{fault.do} {fault.object}".strip()
        if fault.do == "lag":
            self._replica.stop_cache(self._replica.newest, fault.seconds)
        elif fault.do in ("delete", "recreate", "delete_lease", "take_lease"):
            self._powers.act(fault)
        elif fault.do == "refuse":
            self._refusals.append((fault, self._clock.monotonic() + fault.seconds))
        elif fault.do in ("partition", "cut"):
            self._powers.sever(self._process, fault)
        elif fault.do in ("webhook_refuses", "webhook_hangs", "webhook_babbles"):
            self._powers.disturb_webhooks(fault)
        elif fault.do in ("stand_still", "terminate"):
            self._powers.signal(self._process, fault)

    def disturb_after(self, fault: Fault, seen: Step) -> None:
        """Begin what happens when an event has come."""
        if fault.do == "travel":
            revision = self._trace.revision_of(self._process, seen.request, fault.to)
            self._replica.stop_cache(revision or self._replica.newest, fault.seconds)
            self._replica.disconnect()
        elif fault.do == "crash_after":
            self._powers.crash(self._process, fault.seconds)

    def hold_up(self, request: HttpRequest, step: Step) -> Fault | None:
        """Raise what stops *request* on its way, or return whose *code* is the answer to it."""
        if self._network.is_cut(self.cluster):
            step.note = step.note or "no connection"
            raise ConnectError("connection refused")
        limits = request.timeouts
        if self._network.silence(self.cluster):
            step.note = step.note or "gets nowhere"
            self._clock.wait(min(limits.connect_seconds, limits.total_seconds or limits.connect_seconds))
            raise TimedOut("the connection was not made in time")
        refusal = self._refusal(step)
        if refusal is not None and not refusal.code:
            self._clock.wait(limits.total_seconds or limits.idle_seconds)
            raise TimedOut("the answer did not come in time")
        return refusal

    @property
    def silence(self) -> float:
        """For how many seconds no event comes through."""
        return self._network.silence(self.cluster)

    def before(self) -> Before:
        return Before(self._powers.own_commit, self._powers.reviews)

    def note_answer(self, step: Step, before: Before) -> None:
        """What *step* has led to. By task: while a webhook is asked, others go on."""
        written = self._powers.own_commit
        step.is_effective, step.is_reviewed = written != before.commit, self._powers.reviews != before.reviews
        step.revision = written.revision if written is not None and step.is_effective else self._replica.newest
        step.answered = self._clock.monotonic()

    def _refusal(self, step: Step) -> Fault | None:
        path, now = step.request.rpartition(" ")[2], self._clock.monotonic()
        found = next((each for each, until in self._refusals if now < until and path.startswith(each.object)), None)
        if found is None:
            return None
        step.note, step.status = step.note or "refused", found.code
        return msgspec.structs.replace(found, seconds=0.0)
