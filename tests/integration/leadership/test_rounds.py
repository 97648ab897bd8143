"""Three processes and one Lease, a hundred times over: killed, stopped, cut off, and the API server restarted."""

import signal
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

import pytest

from apis.core.v1 import Namespace
from apis.meta import ObjectMeta
from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.manager.leader import JITTER_FACTOR
from framework.runtime import ThreadRuntime
from framework.testing.control_plane import ControlPlane
from tests.integration.leadership.candidates import Stop, Trio
from tests.integration.leadership.oracle import History, Write, history_of
from tests.integration.leadership.program import LEADER

NAMESPACE = "leadership"
TRIOS = 5
# Each trio goes through each of these three times: 90 rounds, in phases of two between 10 restarts of the API server.
FAULTS: tuple[Callable[[Trio], None], ...] = (
    Trio.kill_the_leader,
    Trio.stop_the_leader_for_longer_than_the_lease,
    Trio.cut_the_leader_off,
    Trio.kill_the_leader,
    Trio.stop_the_leader_for_longer_than_the_lease,
    Trio.let_the_leader_talk_to_nobody,
)
PHASES, ROUNDS_IN_A_PHASE = 9, 2
RESTARTS = PHASES + 1

# A candidate sees a renewal up to a jittered retry period after it was made, counts a lease from then, and looks.
EXPECTED_GAP_SECONDS = LEADER.lease_seconds + LEADER.retry_seconds * (1.0 + JITTER_FACTOR)
# Honestly: 15 processes, etcd and an API server share what may be two busy processors.
SLACK_SECONDS = 2.0
# After a restart: the API server says that it is ready before it answers as quickly as before.
OUTAGE_SLACK_SECONDS = 2.0


@pytest.fixture
def plane(binaries: Path, tmp_path: Path) -> Iterator[ControlPlane]:
    with ControlPlane(binaries, tmp_path / "control-plane", audited=("configmaps", "leases")) as started:
        yield started


@pytest.fixture
def admin(plane: ControlPlane) -> Iterator[Client]:
    connected = connect(from_kubeconfig(str(plane.kubeconfig), clock=SystemClock()))
    connected.create(Namespace(metadata=ObjectMeta(name=NAMESPACE)))
    yield connected
    connected.connection.close()


@pytest.fixture
def trios(plane: ControlPlane, admin: Client, tmp_path: Path) -> Iterator[list[Trio]]:
    made = [Trio(f"trio-{number}", NAMESPACE, admin, plane, tmp_path) for number in range(TRIOS)]
    try:
        yield made
    finally:
        for trio in made:
            trio.end()


@pytest.mark.timeout(900)
def test_in_a_hundred_rounds_nobody_writes_out_of_term_and_the_work_soon_goes_on(
    plane: ControlPlane, trios: list[Trio]
) -> None:
    in_parallel(trios, Trio.start)
    outages = [restart(plane, trios, signal.SIGTERM)]
    for phase in range(PHASES):
        in_parallel(trios, lambda trio, phase=phase: make_rounds(trio, phase))  # type: ignore[misc]
        outages.append(restart(plane, trios, signal.SIGKILL if phase % 2 else signal.SIGTERM))

    histories = {trio.name: history_of(trio.name, plane.audit_log.events()) for trio in trios}
    for trio in trios:
        history = histories[trio.name]
        assert_nobody_wrote_out_of_term(trio, history)
        assert_the_work_went_on(history, outages)
        # Every fault but a restart makes another leader.
        assert len(history.reigns) > PHASES * ROUNDS_IN_A_PHASE
    assert interrupted(trios) > 0, "no write met its fence: the rounds prove nothing"
    report(histories, trios, outages)


def make_rounds(trio: Trio, phase: int) -> None:
    for number in range(ROUNDS_IN_A_PHASE):
        # Trios are not in step: at any time there are all kinds of trouble.
        place = phase * ROUNDS_IN_A_PHASE + number + int(trio.name[-1])
        FAULTS[place % len(FAULTS)](trio)


def restart(plane: ControlPlane, trios: Sequence[Trio], how: signal.Signals) -> tuple[datetime, datetime]:
    began = datetime.now(UTC)  # noqa: TID251 - to be compared with the API server's log
    plane.restart_apiserver(how)
    ended = datetime.now(UTC)  # noqa: TID251 - to be compared with the API server's log
    in_parallel(trios, Trio.wait_for_a_leader)
    return began, ended


def assert_nobody_wrote_out_of_term(trio: Trio, history: History) -> None:
    handed_over_at = {key: at for each in trio.candidates for key, at in each.handed_over_at().items()}

    def was_on_its_way(write: Write) -> bool:
        """Whether the process was stopped between the last look at the fence and the sending itself."""
        at = handed_over_at[write.writer, write.number]
        return any(is_on_its_way(write, at, stop) for stop in trio.stops)

    out_of_term = [*history.foreign_writes(), *history.returned_terms()]
    assert [write for write in out_of_term if not was_on_its_way(write)] == []
    # That is a matter of microseconds; more than one of them would be something else.
    assert len(out_of_term) <= 1


def is_on_its_way(write: Write, handed_over_at: float, stop: Stop) -> bool:
    return stop.identity == write.writer and stop.stopped_at - 0.1 < handed_over_at < stop.stopped_at


def assert_the_work_went_on(history: History, outages: Sequence[tuple[datetime, datetime]]) -> None:
    for gap in history.gaps():
        has_outage = any(begin < gap.until and gap.since < end for begin, end in outages)
        slack = SLACK_SECONDS + (OUTAGE_SLACK_SECONDS if has_outage else 0.0)
        assert gap.seconds_without(outages) <= EXPECTED_GAP_SECONDS + slack


def interrupted(trios: Sequence[Trio]) -> int:
    """How many reconciles ended because the term was over."""
    logs = [log for trio in trios for candidate in trio.candidates for log in candidate.logs()]
    return sum(log["event"] == "reconcile_interrupted" for log in logs)


def in_parallel(trios: Sequence[Trio], act: Callable[[Trio], object]) -> None:
    failures: list[BaseException] = []

    def run(trio: Trio) -> None:
        try:
            act(trio)
        except BaseException as failure:  # noqa: BLE001 - raised where the test can see it
            failures.append(failure)

    tasks = [ThreadRuntime().spawn(trio.name, lambda trio=trio: run(trio)) for trio in trios]  # type: ignore[misc]
    for task in tasks:
        task.join()
    if failures:
        raise failures[0]


def report(histories: dict[str, History], trios: Sequence[Trio], outages: Sequence[tuple[datetime, datetime]]) -> None:
    gaps = [gap.seconds_without(outages) for history in histories.values() for gap in history.gaps()]
    print(  # noqa: T201 - for pytest -s
        f"{sum(len(history.writes) for history in histories.values())} writes,"
        f" {sum(len(history.reigns) for history in histories.values())} reigns,"
        f" {interrupted(trios)} reconciles ended by their fence,"
        f" {sum(len(history.foreign_writes()) for history in histories.values())} writes on their way at a stop,"
        f" longest gap {max(gaps):.2f} s without outages, of at most {EXPECTED_GAP_SECONDS:.2f} s expected"
    )
