"""The faults that wait for their request."""

import threading  # noqa: TID251 - the relay is outside the seams: it plays the network

from framework.testing.relay.fault import Action, Fault
from framework.testing.relay.journal import Journal
from framework.testing.relay.request import SeenRequest


class Injection:
    """One injected fault, as the test sees it."""

    def __init__(self, fault: Fault, journal: Journal) -> None:
        self._fault = fault
        self._journal = journal
        self._seen = 0
        self._taken = 0
        self._fired = 0
        self._removed = False

    @property
    def action(self) -> Action:
        return self._fault.action

    @property
    def fired(self) -> int:
        """How many times the action has happened on the wire; a match alone does not count."""
        return self._fired

    def wait(self, times: int = 1, limit: float = 10.0) -> None:
        """Wait until the action has happened *times* times."""
        self._journal.wait_until(lambda: self._fired >= times or None, limit, f"{self.action} did not happen")

    def remove(self) -> None:
        """Take no further request."""
        self._removed = True

    def mark_fired(self) -> None:
        self._journal.tell(self._count_one)

    def is_due(self, request: SeenRequest) -> bool:
        """Count *request* if it fits, and tell whether the fault wants it."""
        if self._removed or not self._fault.match.fits(request):
            return False
        self._seen += 1
        return self._seen >= self._fault.nth and (self._fault.times is None or self._taken < self._fault.times)

    def take(self) -> None:
        self._taken += 1

    def _count_one(self) -> None:
        self._fired += 1


class Plan:
    """Every fault counts the requests that fit it; of those that are due the one injected first acts."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lock = threading.Lock()
        self._injections: list[Injection] = []

    def inject(self, fault: Fault) -> Injection:
        injection = Injection(fault, self._journal)
        with self._lock:
            self._injections.append(injection)
        return injection

    def choose(self, request: SeenRequest) -> Injection | None:
        with self._lock:
            due = [injection for injection in self._injections if injection.is_due(request)]
            if not due:
                return None
            due[0].take()
            return due[0]
