"""The status of an Application: written where it differs, with an event for each change of the phase."""

from typing import Any

from apis.laf.application import Application, Phase
from controllers.reporting.observation import Observation
from controllers.reporting.status_writer import StatusWriter
from framework.client import Client
from framework.clock import Clock
from framework.events import EventRecorder

_PROBLEMS = frozenset(
    {
        "SpecMissing",
        "AppIdConflict",
        "NotFound",
        "Terminating",
        "Unavailable",
        "Deprecated",
        "NameCollision",
        "InstanceUnknown",
    }
)
# Only of one that ran: while it starts, an Instance is not ready for good reason.
_PROBLEMS_WHILE_RUNNING = _PROBLEMS | {"InstanceNotReady"}
_ACTION = "Reconcile"


class ApplicationStatusWriter:
    def __init__(self, client: Client, recorder: EventRecorder, clock: Clock) -> None:
        self._recorder = recorder
        self._writer: StatusWriter[Application] = StatusWriter(
            client, recorder, clock, problems=_PROBLEMS, action=_ACTION
        )
        self._writer_while_running: StatusWriter[Application] = StatusWriter(
            client, recorder, clock, problems=_PROBLEMS_WHILE_RUNNING, action=_ACTION
        )

    def write(
        self, application: Application, phase: Phase | None, *observations: Observation, **fields: Any
    ) -> Application:
        """*application* in *phase*, with these observations and *fields*, by their JSON names."""
        before = application.status.state
        writer = self._writer_while_running if before is Phase.RUNNING else self._writer
        generation = application.metadata.generation
        written = writer.write(application, *observations, **fields, state=phase, observedGeneration=generation)
        if phase is not None and phase is not before:
            note = f"{before or 'none'} -> {phase}"
            self._recorder.record(written, "Normal", "PhaseChanged", note, action=_ACTION)
        return written

    def warn(self, application: Application, reason: str, note: str) -> None:
        self._recorder.record(application, "Warning", reason, note, action=_ACTION)
