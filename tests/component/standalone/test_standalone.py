"""`windlass -mode=standalone`: API server, director and worker in one process."""

import signal
from pathlib import Path

import pytest

from framework.testing.control_plane.ports import free_port
from tests.component.standalone.clusters import objects_of, run, serve
from tests.integration.requeststate.objects import TWO_JOBS, transitions
from tests.integration.requeststate.processes import Windlass


def test_flow_completes_and_the_process_ends(windlass: Windlass, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    environment = {"TMPDIR": str(tmp_path / "temporary")}

    process = windlass.start_bare("-mode=standalone", "-job-duration=0", "-name=one", environment=environment)

    assert process.wait() == 0
    assert process.stdout.splitlines()[-1].split()[:3] == ["one", "JOB2", "COMPLETED"]
    assert process.stdout.endswith("complete\n")
    # Without -data-dir nothing is left.
    assert list((tmp_path / "temporary").iterdir()) == []


def test_several_requests_complete(windlass: Windlass) -> None:
    process = run(windlass, "-requests=20", "-output=json")

    assert process.wait() == 0
    assert process.stdout.count('"complete":true') == 20


def test_objects_are_there_after_a_restart(windlass: Windlass, tmp_path: Path) -> None:
    assert run(windlass, f"-data-dir={tmp_path}/data", "-name=one").wait() == 0

    again = serve(windlass, tmp_path / "data")

    with objects_of(again) as objects:
        assert transitions(objects.get("one")) == TWO_JOBS


def test_kubeconfig_is_good_for_the_next_run_on_the_same_port(windlass: Windlass, tmp_path: Path) -> None:
    # Chosen: one that the kernel gave could be given to somebody else in between.
    same_port = f"-secure-port={free_port()}"
    first = serve(windlass, tmp_path / "data", same_port)
    with objects_of(first) as objects:
        first.send(signal.SIGTERM)
        first.wait()
        serve(windlass, tmp_path / "data", same_port)

        objects.create("one")

        objects.wait_until_complete("one")


@pytest.mark.parametrize("moment", ["idle", "busy"])
def test_nothing_that_was_acknowledged_is_lost_when_it_is_killed(
    moment: str, windlass: Windlass, tmp_path: Path
) -> None:
    victim = serve(windlass, tmp_path / "data", "-job-duration=10m", "-claim-duration=1s")
    with objects_of(victim) as objects:
        for number in range(20):
            objects.create(f"request-{number}", job="JOB1" if moment == "busy" else "UNKNOWN")
        if moment == "busy":
            objects.wait_until_started("request-0")

    victim.kill()
    again = serve(windlass, tmp_path / "data", "-claim-duration=1s")

    with objects_of(again) as objects:
        assert len(objects.all()) == 20
        if moment == "busy":
            assert transitions(objects.wait_until_complete("request-0")) == TWO_JOBS


def test_it_serves_until_it_is_told_to_stop(windlass: Windlass, tmp_path: Path) -> None:
    process = serve(windlass, tmp_path / "data")
    with objects_of(process) as objects:
        objects.create("one")
        objects.wait_until_complete("one")

        process.send(signal.SIGTERM)

        assert process.wait(30.0) == 0
    assert [log for log in process.logs if log["level"] in {"warning", "error"}] == []


def test_data_can_be_read_by_their_owner_alone(windlass: Windlass, tmp_path: Path) -> None:
    (tmp_path / "data").mkdir(mode=0o755)

    serve(windlass, tmp_path / "data")

    readable = [path.name for path in (tmp_path / "data").rglob("*") if path.is_file() and path.stat().st_mode & 0o077]
    assert [name for name in readable if name != ".lock"] == []
