"""O6, on histories that are made by hand."""

from itertools import count

import msgspec

from apis.meta import Key
from framework.apiserver.objects import GroupResource
from framework.testing.simulation.fencing import Fencing
from framework.testing.simulation.store import Commit
from framework.testing.simulation.trace import Step

LEASE = "/apis/coordination.k8s.io/v1/namespaces/default/leases/work"
LEASES, MAPS = GroupResource("coordination.k8s.io", "leases"), GroupResource("", "configmaps")
DEADLINE_SECONDS = 10.0
FIRST, SECOND, STRANGER = "first", "second", "stranger"


class History:
    def __init__(self) -> None:
        self._revisions = count(1)
        self._steps: list[Step] = []
        self._commits: list[Commit] = []

    def lease_written(self, who: str, at: float, *, holder: str | None = None) -> None:
        """By a process for itself, unless *holder* says for whom."""
        raw = msgspec.json.encode({"spec": {"holderIdentity": who if holder is None else holder}})
        self._write(who, f"PATCH {LEASE}", (LEASES, Key("default", "work")), raw, sent=at, at=at)

    def written(self, who: str, at: float, *, sent: float | None = None) -> None:
        request = "PATCH /api/v1/namespaces/default/configmaps/one"
        self._write(who, request, (MAPS, Key("default", "one")), b"{}", sent=at if sent is None else sent, at=at)

    def lease_read(self, who: str, at: float) -> None:
        step = Step(who, f"GET {LEASE}", 1, at, status=200, life=who, answered=at)
        step.revision = self._commits[-1].revision
        self._steps.append(step)

    def verdict(self) -> list[str]:
        deadlines = {FIRST: DEADLINE_SECONDS, SECOND: DEADLINE_SECONDS}
        found = Fencing(self._steps, self._commits, deadlines).violations()
        return [violation.message.partition("configmaps/one ")[2] for violation in found]

    def _write(
        self, who: str, request: str, place: tuple[GroupResource, Key], raw: bytes, *, sent: float, at: float
    ) -> None:
        revision = next(self._revisions)
        self._commits.append(Commit(revision, *place, "update", raw, at))
        step = Step(who, request, 1, sent, status=200, is_effective=True, life=who, answered=at)
        step.revision = revision
        self._steps.append(step)


def history_of_a_leader() -> History:
    history = History()
    history.lease_written(FIRST, 0.0)
    return history


def test_who_holds_the_lease_may_write_until_its_renew_deadline() -> None:
    history = history_of_a_leader()
    history.written(FIRST, 9.9)
    history.lease_written(FIRST, 10.0)
    history.written(FIRST, 19.9)

    assert history.verdict() == []


def test_who_has_not_renewed_may_not_write() -> None:
    history = history_of_a_leader()
    history.written(FIRST, 10.0)

    assert history.verdict() == ["10 s after its last renewal"]


def test_what_counts_is_when_a_write_was_made_and_not_when_it_was_sent() -> None:
    history = history_of_a_leader()
    history.written(FIRST, 12.0, sent=1.0)

    assert history.verdict() == ["12 s after its last renewal"]


def test_who_never_had_the_lease_may_not_write() -> None:
    history = History()
    history.written(SECOND, 1.0)

    assert history.verdict() == ["without a lease"]


def test_who_stands_by_may_not_write() -> None:
    history = history_of_a_leader()
    history.lease_written(SECOND, 16.0)
    history.written(FIRST, 17.0)

    assert history.verdict() == ["in the term of second"]


def test_who_gave_the_lease_up_may_not_write() -> None:
    history = history_of_a_leader()
    history.lease_written(FIRST, 2.0, holder="")
    history.written(FIRST, 3.0)

    assert history.verdict() == ["after it gave the lease up"]


def test_who_cannot_know_that_its_lease_was_taken_by_hand_may_write() -> None:
    history = history_of_a_leader()
    history.lease_written(STRANGER, 1.0)
    history.written(FIRST, 2.0)

    assert history.verdict() == []


def test_who_has_read_that_its_lease_was_taken_may_not_write() -> None:
    history = history_of_a_leader()
    history.lease_written(STRANGER, 1.0)
    history.lease_read(FIRST, 2.0)
    history.written(FIRST, 3.0)

    assert history.verdict() == ["after it had read that another holds the lease"]


def test_who_needs_no_lease_is_not_judged() -> None:
    history = history_of_a_leader()
    history.written("other", 100.0)

    assert history.verdict() == []
