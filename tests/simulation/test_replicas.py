"""A server whose watch cache has stopped, and a process that is led back in time by it."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key
from framework.apiserver.server import ADMIN, ApiServer
from framework.http.exchange import Answer, ServerRequest
from framework.manager import Manager
from framework.store import Change
from framework.testing.simulation import Plan, Simulation, SimulationFailed
from framework.testing.simulation.replica import Replica
from framework.testing.simulation.runtime import SimulatedClock, SimulatedRuntime
from framework.testing.simulation.scheduler import Life, Scheduler
from tests.simulation.mutants.mutant import Mutant, changed
from tests.simulation.mutants.of_time_travel import MUTANTS
from tests.simulation.successors import LISTS, successors

MAPS = "/api/v1/namespaces/default/configmaps"
STOP_SECONDS = 20.0


class Site:
    """A server with one replica in front of it; what is asked is asked by a task, so that it can wait."""

    def __init__(self) -> None:
        self.scheduler = Scheduler(0)
        self.clock = SimulatedClock(self.scheduler)
        runtime = SimulatedRuntime(self.scheduler, Life("cluster"), is_preemptive=False)
        self.server = ApiServer(clock=self.clock, runtime=runtime)
        self.replica = Replica(self.server, self.clock)

    @property
    def revision(self) -> int:
        return self.server.storage.revision

    def ask(self, target: str, method: str = "GET", body: Any = None) -> Answer:
        raw = b"" if body is None else msgspec.json.encode(body)
        request = ServerRequest(method, target, {"content-type": "application/json"}, raw, ADMIN)
        answers: list[Answer] = []
        self.run(lambda: answers.append(self.replica.handle(request)))
        return answers[0]

    def run(self, target: Callable[[], None]) -> None:
        task = self.scheduler.spawn("test", target, Life("test"))
        assert self.scheduler.run(lambda: task.has_ended, limit_seconds=100.0)
        assert task.error is None, task.error

    def create(self, name: str) -> None:
        assert self.ask(MAPS, "POST", {"metadata": {"name": name}}).status == 201

    def names(self, query: str = "") -> list[str]:
        items = msgspec.json.decode(self.ask(f"{MAPS}{query}").body)["items"]
        return [item["metadata"]["name"] for item in items]

    def pass_time(self, seconds: float) -> None:
        self.run(lambda: self.clock.wait(seconds))


@pytest.fixture
def site() -> Iterator[Site]:
    """One object that the stopped cache knows, and one that came after."""
    site = Site()
    site.create("old")
    site.replica.stop_cache(site.revision, STOP_SECONDS)
    site.create("new")
    yield site
    site.scheduler.close()


def events(answer: Answer) -> list[str]:
    assert answer.stream is not None
    lines = (answer.stream.read() or b"").splitlines()
    return [
        f"{event['type']} {event['object']['metadata'].get('name', '')}" for event in map(msgspec.json.decode, lines)
    ]


@pytest.mark.parametrize("query", ["?resourceVersion=0", "?resourceVersion=1&resourceVersionMatch=NotOlderThan"])
def test_a_list_that_may_be_old_is_old(site: Site, query: str) -> None:
    assert site.names(query) == ["old"]


def test_a_list_that_must_be_the_newest_is_the_newest(site: Site) -> None:
    assert site.names() == ["new", "old"]


def test_a_get_that_may_be_old_does_not_know_what_is_new(site: Site) -> None:
    assert site.ask(f"{MAPS}/new?resourceVersion=0").status == 404
    assert msgspec.json.decode(site.ask(f"{MAPS}/old?resourceVersion=0").body)["kind"] == "ConfigMap"
    assert site.ask(f"{MAPS}/new").status == 200


@pytest.mark.parametrize("path", [f"{MAPS}/new", MAPS])
def test_a_version_that_the_cache_has_not_reached_is_from_the_future(site: Site, path: str) -> None:
    before = site.clock.monotonic()

    answer = site.ask(f"{path}?resourceVersion={site.revision}")

    status = msgspec.json.decode(answer.body)
    assert (answer.status, answer.headers["Retry-After"], status["reason"]) == (504, "1", "Timeout")
    assert status["details"]["causes"] == [
        {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
    ]
    assert site.clock.monotonic() == before + 3.0


def test_a_version_that_comes_while_the_server_waits_for_it_is_served(site: Site) -> None:
    site.pass_time(STOP_SECONDS - 1.0)

    answer = site.ask(f"{MAPS}?resourceVersion={site.revision}&resourceVersionMatch=NotOlderThan")

    assert answer.status == 200


def test_a_watch_holds_back_what_came_after_the_stop(site: Site) -> None:
    answer = site.ask(f"{MAPS}?watch=true&resourceVersion={site.revision - 2}")

    assert events(answer) == ["ADDED old"]
    site.pass_time(STOP_SECONDS)
    assert events(answer) == ["ADDED new"]


def test_a_watch_from_any_version_begins_with_the_past(site: Site) -> None:
    answer = site.ask(f"{MAPS}?watch=true&resourceVersion=0")

    assert events(answer) == ["ADDED old"]
    site.pass_time(STOP_SECONDS)
    assert events(answer) == ["ADDED new"]


def test_a_watch_list_that_must_be_the_newest_is_told_to_come_again(site: Site) -> None:
    answer = site.ask(f"{MAPS}?watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=")

    assert events(answer) == ["ERROR "]


def test_a_watch_list_of_any_version_is_of_the_past_and_complete(site: Site) -> None:
    query = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=1"

    answer = site.ask(f"{MAPS}?{query}&allowWatchBookmarks=true")

    assert events(answer) == ["ADDED old", "BOOKMARK "]


def test_who_is_disconnected_hears_no_more(site: Site) -> None:
    answer = site.ask(f"{MAPS}?watch=true&resourceVersion=0")
    site.replica.disconnect()

    assert answer.stream is not None
    assert answer.stream.read() is None


def travel_plans(simulation: Simulation) -> list[Plan]:
    return [plan for plan in simulation.plans() if plan.faults[0].do == "travel"]


def test_who_looks_before_it_deletes_survives_every_journey(tmp_path: Path) -> None:
    simulation = Simulation(successors(tmp_path))

    report = simulation.check(travel_plans(simulation))

    assert not report.failures, SimulationFailed(report, str)
    assert report.plans > 10


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_mutant_that_trusts_the_past_is_caught_by_a_journey(mutant: Mutant, tmp_path: Path) -> None:
    with changed(mutant.changes):
        simulation = Simulation(mutant.scenario(tmp_path))

        report = simulation.check(travel_plans(simulation), stop_at_first=True)

    assert {violation.oracle for failure in report.failures for violation in failure.violations} & {"O2", "O4"}


class Notes:
    """Every version of every object that the cache of one life has had, in order."""

    def __init__(self) -> None:
        self.versions: dict[Key, list[int]] = {}

    def on_change(self, change: Change[ConfigMap]) -> None:
        newest = change.new or change.old
        assert newest is not None
        self.versions.setdefault(newest.key, []).append(int(newest.metadata.resource_version))


def test_the_cache_of_one_life_never_goes_back(tmp_path: Path) -> None:
    """Though each life may begin with an old list here."""
    lives: list[Notes] = []
    scenario = successors(tmp_path)

    def register(manager: Manager) -> None:
        lives.append(Notes())
        manager.informer(ConfigMap, LISTS).add_handler(lives[-1])
        scenario.processes["controller"](manager)

    simulation = Simulation(msgspec.structs.replace(scenario, processes={"controller": register}))
    for plan in travel_plans(simulation):
        simulation.run(plan)

    versions = [each for life in lives for each in life.versions.values()]
    assert len(versions) > 20
    assert all(each == sorted(each) for each in versions)
