"""What is there before anything runs."""

from apis.core.v1 import ConfigMap
from apis.meta import ObjectMeta
from framework.client import Client
from framework.testing.simulation import Plan, Scenario, Simulation, User


def make(client: Client, *names: str) -> None:
    for name in names:
        client.create(ConfigMap(metadata=ObjectMeta(name=name, namespace="default")))


def test_no_object_of_a_run_has_the_uid_of_one_that_was_there_before() -> None:
    def workload(user: User) -> None:
        make(user.client, *(f"later-{number}" for number in range(50)))
        uids = [each.metadata.uid for each in user.client.list(ConfigMap, "default")]
        assert len(set(uids)) == len(uids) > 50

    scenario = Scenario(
        {"controller": lambda _manager: None}, workload, prepare=lambda client: make(client, "early", "earlier")
    )

    assert not Simulation(scenario).run(Plan()).violations
