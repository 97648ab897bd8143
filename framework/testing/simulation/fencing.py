"""O6: who works under a lease writes in its own term only.

A term is judged by what the store has: it begins when a process writes itself into the Lease, is good for the renew
deadline from the moment at which the last renewal was sent, and ends when another takes over or the holder gives it up.
A Lease that somebody deletes or edits by hand ends no term by itself: its holder cannot know before it looks. Once it
has looked, it must not write.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from framework.testing.simulation.leases import lease_of
from framework.testing.simulation.outcome import Violation
from framework.testing.simulation.quiet import counts
from framework.testing.simulation.store import Commit
from framework.testing.simulation.trace import Step, cluster_of, kind_of

_OK = 200


class Term(msgspec.Struct):
    """As far as it has come."""

    life: str
    holder: str
    # When its last renewal was sent.
    renewed: float
    is_given_up: bool = False
    # When its holder has read that another holds the lease.
    lost: float | None = None


class Fencing:
    """Of one run; *deadlines* are the renew deadlines of the processes whose controllers all need a lease."""

    def __init__(self, steps: Sequence[Step], commits: Sequence[Commit], deadlines: Mapping[str, float]) -> None:
        self._steps = steps
        self._commits = {commit.revision: commit for commit in commits}
        self._deadlines = deadlines
        # By the path of the Lease.
        self._terms: dict[str, Term] = {}
        # By process: the path of its Lease.
        self._leases: dict[str, str] = {}

    def violations(self) -> list[Violation]:
        if not self._deadlines:
            return []
        # The Lease and its times are those of the home cluster; versions of another one say nothing about them.
        at_home = [step for step in self._steps if not cluster_of(step.request)]
        answered = [step for step in at_home if step.revision and not step.event]
        # What was applied first is judged first, however long it was on its way.
        answered.sort(key=lambda step: (step.revision, not step.is_effective))
        return [Violation("O6", message) for step in answered for message in self._judge(step)]

    def _judge(self, step: Step) -> Iterator[str]:
        if step.process not in self._deadlines:
            return
        if "/leases" in step.request:
            self._follow(step)
        elif step.is_effective and counts(step.request) and (reason := self._wrong(step)):
            yield f"{step.life} has written {step.request} {reason}"

    def _wrong(self, step: Step) -> str:
        term = self._terms.get(self._leases.get(step.process, ""))
        at = self._commits[step.revision].elapsed
        if term is None:
            return "without a lease"
        if term.life != step.life:
            return f"in the term of {term.life}"
        if term.is_given_up:
            return "after it gave the lease up"
        if at >= term.renewed + self._deadlines[step.process]:
            return f"{at - term.renewed:g} s after its last renewal"
        if term.lost is not None and at > term.lost:
            return "after it had read that another holds the lease"
        return ""

    def _follow(self, step: Step) -> None:
        if not step.is_effective:
            self._read(step)
            return
        commit = self._commits[step.revision]
        lease = f"/apis/coordination.k8s.io/v1/namespaces/{commit.key.namespace}/leases/{commit.key.name}"
        self._leases[step.process] = lease
        holder = _holder(commit)
        if holder:
            self._terms[lease] = Term(step.life, holder, step.elapsed)
        elif (term := self._terms.get(lease)) is not None:
            term.is_given_up = True

    def _read(self, step: Step) -> None:
        term = self._terms.get(lease_of(step.request))
        if term is None or term.life != step.life or kind_of(step.request) != "read" or step.status != _OK:
            return
        if self._holder_at(lease_of(step.request), step.revision) not in ("", term.holder):
            term.lost = step.answered

    def _holder_at(self, lease: str, revision: int) -> str:
        namespace, _, name = lease.split("/")[-3:]
        about = (
            commit
            for commit in self._commits.values()
            if commit.revision <= revision and commit.resource.resource == "leases"
            if commit.key == (namespace, name)
        )
        newest = max(about, key=lambda commit: commit.revision, default=None)
        return "" if newest is None else _holder(newest)


def _holder(commit: Commit) -> str:
    if commit.raw is None:
        return ""
    lease: dict[str, Any] = msgspec.json.decode(commit.raw)
    return str(lease.get("spec", {}).get("holderIdentity") or "")
