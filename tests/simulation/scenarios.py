"""Every controller of this repository, with a user who works with it."""

import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from apis.meta import Key, ObjectMeta
from apis.requeststate.v1 import RequestState, RequestStateSpec, State
from apis.schema import crds_of
from controllers.requeststate.flow import Flow
from controllers.requeststate.jobs import sample_job
from controllers.requeststate.register import register_director, register_worker
from controllers.requeststate.worker_options import WorkerOptions
from examples import shared_folder, website
from examples.shared_folder import SharedFolder, SharedFolderSpec
from examples.website import Website, WebsiteSpec
from framework.manager import LeaderOptions, Manager, ManagerOptions
from framework.testing.simulation import Register, Scenario, User
from tests.simulation.copies import copies
from tests.simulation.databases import databases, departures
from tests.simulation.laf_applications import applications
from tests.simulation.laf_catalogue import catalogue, forms
from tests.simulation.laf_clusters import clusters
from tests.simulation.laf_instances import instances
from tests.simulation.led import led
from tests.simulation.mirrored import mirrored
from tests.simulation.peer_pod_configs import peer_pod_configs
from tests.simulation.peer_pod_reviews import peer_pod_reviews
from tests.simulation.peer_pods import peer_pods
from tests.simulation.reviewed import reviewed, reviewed_if_possible
from tests.simulation.successors import successors
from tests.simulation.tickets import tickets
from tests.simulation.workers_served import departures as worker_departures
from tests.simulation.workers_served import workers
from tests.simulation.workers_versions import versions

NAMESPACE = "default"
ONE = Key(NAMESPACE, "one")
# A user who writes what director and worker write is one of them, and not a good one.
MOVED_ON = ("spec.*",)


class Folder:
    """A folder as the state outside."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def reset(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        self.root.mkdir(parents=True)

    def state(self) -> dict[str, Any]:
        files = sorted(path for path in self.root.rglob("*") if path.is_file())
        return {str(path.relative_to(self.root)): path.read_text() for path in files}


def requeststate(_folder: Path) -> Scenario:
    """One request through two jobs."""
    jobs = {"JOB1": sample_job, "JOB2": sample_job}

    def director(manager: Manager) -> None:
        register_director(manager, Flow(("JOB1", "JOB2")), concurrency=2)

    def worker(manager: Manager) -> None:
        register_worker(manager, jobs, WorkerOptions("worker"), concurrency=2)

    def workload(user: User) -> None:
        spec = RequestStateSpec(request_uid="one", job="JOB1", state=State.REQUESTED)
        user.client.create(RequestState(metadata=_metadata("one"), spec=spec))

    processes = {"director": director, "worker": worker}
    # A write that hangs for as long as a claim lasts, and then another's claim that must run out.
    definitions = crds_of((RequestState,))
    return Scenario(processes, workload, definitions=definitions, quiet_seconds=100.0, fixed=MOVED_ON)


def rivals(_folder: Path) -> Scenario:
    """Two requests, and two workers that compete for them."""

    def director(manager: Manager) -> None:
        register_director(manager, Flow(("JOB1",)), concurrency=1)

    def worker(name: str) -> Register:
        def register(manager: Manager) -> None:
            register_worker(manager, {"JOB1": sample_job}, WorkerOptions(name), concurrency=1)

        return register

    def workload(user: User) -> None:
        for name in ("one", "two"):
            spec = RequestStateSpec(request_uid=name, job="JOB1", state=State.REQUESTED)
            user.client.create(RequestState(metadata=_metadata(name), spec=spec))

    return Scenario(
        {"director": director, "first": worker("first"), "second": worker("second")},
        workload,
        definitions=crds_of((RequestState,)),
        quiet_seconds=100.0,
        # Who wins is not the point.
        masked=("*.worker",),
        fixed=MOVED_ON,
    )


def directors(_folder: Path) -> Scenario:
    """Two directors, of which one leads at a time."""

    def register(manager: Manager) -> None:
        register_director(manager, Flow(("JOB1", "JOB2")), concurrency=1)

    def workload(user: User) -> None:
        for name in ("one", "two"):
            spec = RequestStateSpec(request_uid=name, job="JOB1", state=State.COMPLETED)
            user.client.create(RequestState(metadata=_metadata(name), spec=spec))
            user.wait_until_quiet()

    # Renewed less often than by default: most of a run would be renewals, of which nothing is learnt.
    options = ManagerOptions(lease=Key(NAMESPACE, "director"), leader=LeaderOptions(retry_seconds=5.0))
    processes = {"first": register, "second": register}
    return Scenario(processes, workload, definitions=crds_of((RequestState,)), options=options, fixed=MOVED_ON)


def websites(_folder: Path) -> Scenario:
    """A website that is made, changed and removed beside one that stays."""

    def workload(user: User) -> None:
        for name in ("one", "two"):
            user.client.create(Website(metadata=_metadata(name), spec=WebsiteSpec(image="web:1", replicas=2)))
        user.wait_until_quiet()
        user.client.merge_patch(Website, ONE, {"spec": {"image": "web:2", "replicas": 3}})
        user.wait_until_quiet()
        user.client.delete(Website, Key(NAMESPACE, "two"))

    return Scenario({"controller": website.register}, workload, definitions=crds_of((Website,)))


def shared_folders(folder: Path) -> Scenario:
    """A folder that is made, changed, removed, and made again under the same name."""
    outside = Folder(folder / "shared")

    def register(manager: Manager) -> None:
        shared_folder.register(manager, outside.root)

    def workload(user: User) -> None:
        metadata = _metadata("one")
        user.client.create(SharedFolder(metadata=metadata, spec=SharedFolderSpec(greeting="hello")))
        user.wait_until_quiet()
        user.client.merge_patch(SharedFolder, ONE, {"spec": {"greeting": "good day"}})
        user.wait_until_quiet()
        user.client.delete(SharedFolder, ONE)
        user.wait_until_gone(SharedFolder, ONE)
        user.client.create(SharedFolder(metadata=metadata, spec=SharedFolderSpec(greeting="again")))

    definitions = crds_of((SharedFolder,))
    return Scenario({"controller": register}, workload, definitions=definitions, outside=outside)


SCENARIOS: Mapping[str, Callable[[Path], Scenario]] = {
    "requeststate": requeststate,
    "rivals": rivals,
    "directors": directors,
    "website": websites,
    "sharedfolder": shared_folders,
    "copies": copies,
    "successors": successors,
    "led": led,
    "mirrored": mirrored,
    "reviewed": reviewed,
    "reviewedifpossible": reviewed_if_possible,
    "databases": databases,
    "departures": departures,
    "tickets": tickets,
    "catalogue": catalogue,
    "forms": forms,
    "clusters": clusters,
    "instances": instances,
    "applications": applications,
    "peerpodconfigs": peer_pod_configs,
    "peerpods": peer_pods,
    "peerpodreviews": peer_pod_reviews,
    "workerversions": versions,
}
# Of many controllers and caches, whose runs take long: `make simulate` tries all of their plans, the tests a few.
LARGE: Mapping[str, Callable[[Path], Scenario]] = {"workers": workers, "workerdepartures": worker_departures}
ALL: Mapping[str, Callable[[Path], Scenario]] = {**SCENARIOS, **LARGE}


def _metadata(name: str) -> ObjectMeta:
    return ObjectMeta(name=name, namespace=NAMESPACE)
