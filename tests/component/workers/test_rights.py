"""What the controllers declare that they need is enough."""

from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from apis.registry import WORKER_KINDS
from framework.rights import AccessRecorder, compare
from framework.runtime import ThreadRuntime
from tests.component.workers.test_builds import build_of
from tests.component.workers.world import SETTINGS, World, world_of


def test_nothing_is_asked_of_the_server_that_was_not_declared() -> None:
    recorder = AccessRecorder(ThreadRuntime())
    with world_of(SETTINGS, recorder) as world:
        walk(world)
        names = [kind.__name__.lower() for kind in WORKER_KINDS]
        needs = tuple({need for name in names for need in world.manager.needs(name)})

    # That the server is asked for definitions is the manager's affair, and events are the recorder's.
    undeclared = {right for right in compare(needs, recorder.seen).undeclared if "customresource" not in right}
    assert undeclared == set()


def walk(world: World) -> None:
    """Everything that writes: two versions, the second of which replaces the first, and the end."""
    world.account()
    name = world.deploy("hello", "v1")
    world.serve()
    first = build_of(world).metadata.name
    world.deploy("hello", "v2")
    world.until(lambda: build_of(world).metadata.name != first)
    world.serve()
    world.until(lambda: bool(world.registry.deleted))
    world.client.delete(WorkerDeployment, world.key(name))
    for release in world.releases("hello"):
        world.client.delete(WorkerRelease, release.key)
    world.until(lambda: world.registry.tags == {})
