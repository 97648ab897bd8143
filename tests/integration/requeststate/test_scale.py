"""Many requests, several workers, two directors."""

from collections import Counter

import pytest

from framework.clock import SystemClock
from tests.integration.requeststate.objects import TWO_JOBS, Objects, is_complete, transitions
from tests.integration.requeststate.processes import Windlass

REQUESTS, WORKERS, DIRECTORS = 1000, 4, 2


@pytest.mark.timeout(900)
def test_every_job_of_a_thousand_requests_is_started_and_completed_once(
    windlass: Windlass, objects: Objects, capsys: pytest.CaptureFixture[str]
) -> None:
    clock = SystemClock()
    workers = [windlass.worker("-job-duration=0") for _ in range(WORKERS)]
    began = clock.monotonic()

    share = REQUESTS // DIRECTORS
    directors = [windlass.start(f"-requests={share}", "-output=json") for _ in range(DIRECTORS)]

    assert [director.wait(800.0) for director in directors] == [0] * DIRECTORS
    seconds = clock.monotonic() - began
    finished = objects.all()
    assert Counter(tuple(transitions(one)) for one in finished) == {tuple(TWO_JOBS): REQUESTS}
    assert all(is_complete(one) and one.status.claim is None for one in finished)
    assert [
        log for process in workers + directors for log in process.logs if log["level"] in {"warning", "error"}
    ] == []
    shares = Counter(entry.worker for one in finished for entry in one.status.history)
    with capsys.disabled():
        print(f"\n{REQUESTS} requests: {seconds:.1f} s; entries by worker: {sorted(shares.values())}")  # noqa: T201 - the report line
