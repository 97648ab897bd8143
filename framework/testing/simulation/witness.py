"""Sees what each process reads, writes, keeps and tells in one run, in any cluster: O3, O4, O7, O9."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from framework.apiserver.objects import GroupResource
from framework.testing.simulation.bounds import hammering, waiting
from framework.testing.simulation.caches import untrue
from framework.testing.simulation.lost_updates import lost_updates
from framework.testing.simulation.outcome import Violation
from framework.testing.simulation.plan import USER
from framework.testing.simulation.process import Process
from framework.testing.simulation.scenario import Scenario
from framework.testing.simulation.scheduler import Scheduler, SimulatedTask
from framework.testing.simulation.secrets import Secrets, Sinks
from framework.testing.simulation.store import RecordingJournal, Writer, is_noise
from framework.testing.simulation.trace import Trace
from framework.testing.simulation.watched_manager import Report


class Witness:
    def __init__(
        self,
        scenario: Scenario,
        processes: Mapping[str, Process],
        *,
        scheduler: Scheduler,
        journals: Mapping[str, RecordingJournal],
        trace: Trace,
    ) -> None:
        self._scenario = scenario
        self._processes = processes
        self._scheduler = scheduler
        self._journals = journals
        self._trace = trace
        # Those that a fault makes act for the user.
        self._acting: set[SimulatedTask | None] = set()
        self._secrets = Secrets()
        for journal in journals.values():
            journal.writer = self._writer

    def note_token(self, token: str) -> None:
        self._secrets.add_token(token)

    @contextmanager
    def for_the_user(self) -> Iterator[None]:
        """What the calling task does inside is not its own doing."""
        task = self._scheduler.current
        self._acting.add(task)
        try:
            yield
        finally:
            self._acting.discard(task)

    def look_at_caches(self, report: Report) -> None:
        """Called by a task, for a reader may have to wait; and when all is quiet."""
        for process in self._processes.values():
            manager = process.host.manager if process.host is not None else None
            if manager is None or process.host is None:
                continue
            process.host.bounds.at_rest(manager.queued)
            for cluster, informer in manager.informers:
                kind = informer.resource_type
                resource = GroupResource(kind.gvk.group, kind.plural)
                if informer.is_running and not is_noise(resource):
                    for message in untrue(informer, self._journals[cluster].rows_of(resource), manager.client):
                        report("O4", f"{process.name}: {message}")

    def found(self, log: list[dict[str, Any]]) -> Iterator[Violation]:
        """At the end."""
        for journal in self._journals.values():
            yield from lost_updates(journal.commits, journal.start)
            self._secrets.add_all(journal.commits, journal.start)
        yield from hammering(self._trace.steps, self._scenario.limits)
        yield from waiting(self._trace.steps, self._scenario.limits)
        if self._secrets:
            words = [each for process in self._processes.values() for each in process.metrics()]
            sinks = Sinks(log, [journal.commits for journal in self._journals.values()], words)
            yield from self._secrets.told(sinks, self._scenario.secrets_belong)

    def _writer(self) -> Writer:
        """Who writes now: a request is served in the task that makes it."""
        task = self._scheduler.current
        if task is None or task in self._acting:
            return Writer(USER)
        for process in self._processes.values():
            if process.host is not None and process.host.life is task.life:
                return Writer(process.name, process.host.shown)
        return Writer(task.life.name)
