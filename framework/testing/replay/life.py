"""What a process of a replay does: the same Manager with the same registrations as in the simulation, for real."""

import sys
import threading  # noqa: TID251 - only to hear of threads that die

import structlog
from prometheus_client import CollectorRegistry

from framework.client import Client, ClusterAddress, Connection, StaticCredentials
from framework.client.curl import CurlTransport
from framework.clock import SystemClock
from framework.log import configure_logging
from framework.manager import stop_on_signals
from framework.randomness import system_random
from framework.runtime import ThreadRuntime
from framework.testing.replay.birth import Birth, Upbringing
from framework.testing.replay.fast_time import FastClock, FastRuntime
from framework.testing.replay.impatient import ImpatientTransport
from framework.testing.replay.reporting import ReportingManager
from framework.testing.simulation.scenario import Scenario

_log = structlog.get_logger("windlass.replay")
VIOLATION = "violation"


def live(scenario: Scenario, birth: Birth, upbringing: Upbringing) -> None:
    """Return when told to stop; most are killed instead."""
    configure_logging(stream=sys.stderr, as_json=True)
    threading.excepthook = _note_death
    clock, runtime = FastClock(upbringing.speed, upbringing.epoch), FastRuntime(upbringing.speed)
    manager = ReportingManager(
        _client(birth, upbringing, clock, runtime),
        clock=clock,
        runtime=runtime,
        random=system_random(),
        registry=CollectorRegistry(),
        options=scenario.options_of(birth.process),
        report=report,
    )
    scenario.processes[birth.process](manager)
    manager.run(stop_on_signals())


def report(oracle: str, message: str) -> None:
    _log.error(VIOLATION, oracle=oracle, message=message)


def _client(birth: Birth, upbringing: Upbringing, clock: FastClock, runtime: FastRuntime) -> Client:
    def transport(address: ClusterAddress) -> ImpatientTransport:
        # What is on the wire goes at the pace of the wire.
        return ImpatientTransport(CurlTransport(address, clock=SystemClock(), runtime=ThreadRuntime()), clock.speed)

    connection = Connection(
        StaticCredentials(ClusterAddress(birth.server), upbringing.token),
        make_transport=transport,
        clock=clock,
        runtime=runtime,
        random=system_random(),
        user_agent=birth.process,
    )
    return Client(connection)


def _note_death(death: threading.ExceptHookArgs) -> None:
    name = death.thread.name if death.thread is not None else "?"
    report("O8", f"task {name} died: {death.exc_type.__name__}: {death.exc_value}")
