"""Processes of a replay, without a server: theirs does not answer."""

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from framework.errors import ConfigurationError
from framework.manager import Manager
from framework.testing.control_plane.waiting import wait_until
from framework.testing.replay import Recipe
from framework.testing.replay.birth import Birth, Upbringing
from framework.testing.replay.fast_time import clock_from_now_on
from framework.testing.replay.processes import Processes
from framework.testing.simulation import Scenario, User

NOBODY = "http://127.0.0.1:1"
LIMIT_SECONDS = 20.0


def scenario(folder: Path) -> Scenario:
    def sound(_manager: Manager) -> None:
        (folder / "pid").write_text(str(os.getpid()))

    def broken(_manager: Manager) -> None:
        raise ZeroDivisionError("this one cannot even begin")

    def workload(_user: User) -> None:
        return

    return Scenario({"sound": sound, "broken": broken}, workload)


def upbringing_of(recipe: Recipe, folder: Path) -> Upbringing:
    return Upbringing(recipe, str(folder), 10.0, clock_from_now_on(10.0).epoch, "token")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("processes")


@pytest.fixture(scope="module")
def nursery(folder: Path) -> Iterator[Processes]:
    with Processes(upbringing_of(Recipe(__name__, "scenario"), folder), folder / "nursery.log") as made:
        yield made


@pytest.fixture
def processes(nursery: Processes) -> Iterator[Processes]:
    yield nursery
    nursery.kill("sound")


def start(processes: Processes, name: str, folder: Path) -> int:
    (folder / "pid").unlink(missing_ok=True)
    processes.start(Birth(name, NOBODY, str(folder / f"{name}.log")))
    assert wait_until(
        lambda: bool((folder / "pid").exists() and (folder / "pid").read_text()), limit_seconds=LIMIT_SECONDS
    )
    return int((folder / "pid").read_text())


def state_of(pid: int) -> str:
    """As in /proc; empty when there is none."""
    with suppress(FileNotFoundError, ProcessLookupError):
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return ""


def test_who_is_killed_is_gone_and_not_missed(processes: Processes, folder: Path) -> None:
    pid = start(processes, "sound", folder)
    assert pid != os.getpid()

    processes.kill("sound")

    assert state_of(pid) == ""
    assert "sound" not in processes.ended()


def test_who_ends_by_itself_is_told_and_says_why(processes: Processes, folder: Path) -> None:
    processes.start(Birth("broken", NOBODY, str(folder / "broken.log")))

    assert wait_until(lambda: "broken" in processes.ended(), limit_seconds=LIMIT_SECONDS)
    assert "ZeroDivisionError: this one cannot even begin" in (folder / "broken.log").read_text()


def test_who_is_asked_to_end_does_and_is_not_missed(processes: Processes, folder: Path) -> None:
    pid = start(processes, "sound", folder)

    processes.terminate("sound", LIMIT_SECONDS)

    assert state_of(pid) == ""
    assert "sound" not in processes.ended()


def test_who_is_stopped_stands_still_until_it_may_go_on(processes: Processes, folder: Path) -> None:
    pid = start(processes, "sound", folder)

    processes.stop("sound")
    assert wait_until(lambda: state_of(pid) == "T", limit_seconds=LIMIT_SECONDS)

    processes.go_on("sound")
    assert wait_until(lambda: state_of(pid) in ("S", "R"), limit_seconds=LIMIT_SECONDS)


def test_nobody_outlives_the_end(tmp_path: Path) -> None:
    with Processes(upbringing_of(Recipe(__name__, "scenario"), tmp_path), tmp_path / "nursery.log") as processes:
        pid = start(processes, "sound", tmp_path)

    assert wait_until(lambda: state_of(pid) == "", limit_seconds=LIMIT_SECONDS)


def test_a_scenario_that_cannot_be_made_says_why(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="no_such_function"):
        Processes(upbringing_of(Recipe(__name__, "no_such_function"), tmp_path), tmp_path / "nursery.log")
