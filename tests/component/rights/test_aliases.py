"""Each controller of the other group of workers, alone in its process, with the rules that the chart has for it."""

from collections.abc import Mapping
from functools import partial

from apis.meta import KubeObject
from apis.registry import CF_WORKER_GROUP_KINDS, WORKER_KINDS
from apis.schema import crds_of
from controllers.workeralias import ALIASES, alias_controller, register_workeralias
from framework.apiserver.in_process import in_process_client
from tests.component.rights.guarded import Guarded, Permission, Process
from tests.component.workers.aliased import WITH_ALIASES, is_mirrored, make
from tests.component.workers.world import World

# What the story has no occasion for, and where it is shown that there is one.
UNUSED: Mapping[Permission, str] = {
    ("patch", "events.k8s.io", "events"): "an event that comes again: tests/component/events",
}


def test_rules_are_enough_and_none_is_left_over() -> None:
    guarded = Guarded(crds_of((*WORKER_KINDS, *CF_WORKER_GROUP_KINDS)))
    # Its own manager never starts: it is the user here.
    world = World(lambda: in_process_client(guarded.server), WITH_ALIASES)
    processes = [
        Process((alias_controller(kind),), partial(register_workeralias, settings=WITH_ALIASES, canonical=kind))
        for kind in ALIASES
    ]

    with guarded.running(processes):
        for canonical, alias in ALIASES.items():
            tell(world, canonical, alias)

    assert guarded.server.refused == []
    # Those to finalizers are asked for by a plugin that is off by default: tests/integration/peerpods/test_rights.py.
    left = {
        permission
        for some in guarded.unused().values()
        for permission in some
        if not permission[2].endswith("/finalizers")
    }
    assert left - set(UNUSED) == set()


def tell(world: World, canonical: type[KubeObject], alias: type[KubeObject]) -> None:
    make(world, canonical, "taken")
    make(world, alias, "taken")
    world.until(lambda: world.condition(alias, "taken", "Mirrored") == ("False", "NameTaken"))

    make(world, alias)
    world.until(lambda: is_mirrored(world, alias))
    world.client.merge_patch(alias, world.key("it"), {"metadata": {"labels": {"team": "blue"}}})
    world.until(lambda: world.one(canonical, "it").metadata.labels.get("team") == "blue")
