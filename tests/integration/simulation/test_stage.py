"""A real server before and after a run."""

from collections.abc import Iterator

import pytest

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta
from framework.client import Client
from framework.errors import ConfigurationError, NotFound
from framework.testing.control_plane import ControlPlane
from framework.testing.replay.stage import Stage
from framework.testing.simulation import Outcome, Plan, Scenario, User

pytestmark = pytest.mark.xdist_group("replay")

PREPARED, MADE = Key("default", "prepared"), Key("default", "made")
# Of a run that has written ConfigMaps.
REFERENCE = Outcome(Plan(), [], {}, {"configmaps/default/made": (1, 0)}, (), (), [])


def config_map(key: Key, *finalizers: str) -> ConfigMap:
    return ConfigMap(metadata=ObjectMeta(name=key.name, namespace=key.namespace, finalizers=list(finalizers)))


def is_there(stage: Stage, key: Key) -> bool:
    try:
        stage.user.client.get(ConfigMap, key)
    except NotFound:
        return False
    return True


@pytest.fixture
def scenario() -> Scenario:
    def prepare(client: Client) -> None:
        client.create(config_map(PREPARED))

    def workload(_user: User) -> None:
        return

    return Scenario({}, workload, prepare=prepare)


@pytest.fixture
def stage(replay_plane: ControlPlane, scenario: Scenario) -> Iterator[Stage]:
    made = Stage(replay_plane, scenario, REFERENCE)
    yield made
    made.close()


def test_nothing_is_left_of_a_run_but_what_was_prepared(stage: Stage) -> None:
    stage.user.client.create(config_map(MADE, "example.dev/nobody-removes-it"))

    stage.clear()

    assert not is_there(stage, MADE)
    assert is_there(stage, PREPARED)


def test_a_run_that_changes_what_was_prepared_is_told(stage: Stage) -> None:
    stage.user.client.merge_patch(ConfigMap, PREPARED, {"data": {"a": "1"}})

    with pytest.raises(ConfigurationError, match="a run has changed configmaps default/prepared"):
        stage.clear()


def test_what_was_prepared_goes_in_the_end(replay_plane: ControlPlane, scenario: Scenario) -> None:
    Stage(replay_plane, scenario, REFERENCE).close()

    # Else it would be there already, and could not be prepared again.
    Stage(replay_plane, scenario, REFERENCE).close()


def test_what_the_server_has_of_its_own_stays(replay_plane: ControlPlane, scenario: Scenario) -> None:
    own = Key("kube-system", "extension-apiserver-authentication")

    stage = Stage(replay_plane, scenario, REFERENCE)
    stage.close()

    assert stage.is_foreign("configmaps", own)
    assert not stage.is_foreign("configmaps", PREPARED)
