"""The roles of both controllers are enough for what they are for, and nothing in them can be left out."""

import pytest

from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.manager import Manager
from framework.rights import Right
from tests.component.peerpods_rights.story import Story
from tests.component.peerpods_rights.world import Cloud, Unfinished, World, declared, register_everything

# The work goes on without these, so that it takes a moment to see what is missing.
_PATIENCE_SECONDS, _OPTIONAL_PATIENCE_SECONDS = 0.2, 2.0


def all_rights() -> tuple[Right, ...]:
    manager = Manager(in_process_client(ApiServer()))
    register_everything(manager, Cloud())
    # Asked for by a plugin of the server that is off by default: tests/integration/peerpods has it on.
    return tuple(right for right in declared(manager) if right.subresource != "finalizers")


def test_what_is_declared_is_enough() -> None:
    world = World()

    Story(world).tell()


@pytest.mark.parametrize("right", all_rights(), ids=str)
def test_without_one_right_something_is_missing(right: Right) -> None:
    world = World(_OPTIONAL_PATIENCE_SECONDS if right.is_optional else _PATIENCE_SECONDS)

    with pytest.raises(Unfinished):
        Story(world).tell(without=right)

    resource = f"{right.resource.plural}/{right.subresource}" if right.subresource else right.resource.plural
    assert any(f'cannot {right.verb} resource "{resource}"' in message for message in world.server.refused)
