"""The flow in one process and in virtual time: nobody waits for real."""

from collections.abc import Iterator
from functools import partial

import pytest

from apis.meta import Key
from apis.requeststate.v1 import RequestState
from controllers.definitions import install_crds
from controllers.requeststate.flow import Flow
from controllers.requeststate.jobs import load_jobs
from controllers.requeststate.register import register_director, register_worker
from controllers.requeststate.worker_options import WorkerOptions
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.manager import Manager, ManagerOptions
from framework.randomness import system_random
from framework.testing.virtual_time import VirtualTime
from tests.integration.requeststate.objects import TWO_JOBS, Objects, is_complete, transitions

FLOW = Flow.parse("JOB1,JOB2")
A_MINUTE = 60.0


class World:
    """A cluster, and the processes in it, that share one time."""

    def __init__(self) -> None:
        self.time = VirtualTime()
        self.server = ApiServer(clock=self.time.clock, runtime=self.time.runtime, random=system_random())
        self.client = in_process_client(self.server)
        install_crds(self.client)
        self.objects = Objects(self.client, "default")
        self._managers: list[Manager] = []

    def manager(self, name: str) -> Manager:
        options = ManagerOptions(
            lease=Key("default", "windlass-director") if name == "director" else None,
            identity=name,
            namespaces=("default",),
        )
        made = Manager(
            in_process_client(self.server), clock=self.time.clock, runtime=self.time.runtime, options=options
        )
        self._managers.append(made)
        return made

    def start_director(self) -> None:
        director = self.manager("director")
        register_director(director, FLOW)
        director.start()

    def start_worker(self) -> None:
        worker = self.manager("worker")
        register_worker(worker, load_jobs(), WorkerOptions(name="worker", job_duration_seconds=2.0))
        worker.start()

    def stop(self) -> None:
        # Each in a task of its own: what it waits for needs time that goes on.
        tasks = [self.time.runtime.spawn("stop", partial(_stop, one)) for one in self._managers]
        for _ in range(60):
            if not any(task.is_alive() for task in tasks):
                break
            self.time.advance(1.0)
        self.server.close()


def _stop(manager: Manager) -> None:
    manager.stop()


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    yield made
    made.stop()


def finished(world: World, name: str) -> RequestState:
    found = world.objects.get(name)
    assert is_complete(found), found
    return found


def test_worker_that_comes_a_minute_after_the_director_finds_its_request(world: World) -> None:
    world.start_director()
    world.objects.create("early")
    world.time.advance(A_MINUTE)
    before = transitions(world.objects.get("early"))

    world.start_worker()
    world.time.advance(10.0)

    assert before == []
    assert transitions(finished(world, "early")) == TWO_JOBS


def test_director_that_comes_a_minute_after_the_worker_goes_on_with_the_flow(world: World) -> None:
    world.start_worker()
    world.objects.create("early")
    world.time.advance(A_MINUTE)
    before = transitions(world.objects.get("early"))

    world.start_director()
    world.time.advance(10.0)

    assert before == TWO_JOBS[:2]
    assert transitions(finished(world, "early")) == TWO_JOBS
