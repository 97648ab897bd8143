"""From an upload to pods, by all controllers together."""

from apis.cfworker.jobbuilder import BuildPhase, JobBuilder
from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import ReleasePhase
from apis.core.v1 import Service
from apis.networking.v1 import Ingress
from tests.component.workers.world import World, digest_of


def test_a_template_becomes_a_release_a_build_and_pods(world: World) -> None:
    world.account()
    name = world.deploy("hello", "v1")

    world.serve()

    world.until(lambda: world.condition(WorkerDeployment, name, "Available") == ("True", "Serving"))
    # Each of them is told by a controller of its own, in no order.
    world.until(
        lambda: (
            [(each.status.phase, each.status.accounts) for each in world.releases("hello")]
            == [(ReleasePhase.ACTIVE, ["acme"])]
        )
    )
    (build,) = world.client.list(JobBuilder)
    assert (build.status.phase, build.status.bundle_applied) == (BuildPhase.SUCCEEDED, True)
    bundle = world.one(WorkerBundle, "acme")
    assert bundle.spec.pod_template.image == f"{build.spec.target_image}@{digest_of(build.spec.target_image)}"
    (worker,) = bundle.spec.workers
    assert (worker.worker_name, worker.worker_number, worker.env_prefix) == ("hello", 8080, "HELLO_")
    service = world.one(Service, "acme-svc")
    assert [port.port for port in service.spec.ports] == [8080]
    assert world.get(Ingress, "acme-ingress") is not None
