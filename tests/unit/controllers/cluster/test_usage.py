"""What the Instances of a Cluster have reserved, and which changes of them matter to it."""

from apis.laf.instance import Instance, InstanceStatus, Reserved
from controllers.cluster.usage import used_by


def reserving(cpu: str | int | None, memory: str | int | None) -> Instance:
    return Instance(status=InstanceStatus(cluster_uid="uid", reserved=Reserved(cpu=cpu, memory=memory)))


def test_what_is_reserved_is_added_up_and_spelled_as_the_server_spells_it() -> None:
    assert used_by([]) == {"cpu": "0", "memory": "0"}
    assert used_by([reserving("250m", "128Mi"), reserving(1, "1Gi")]) == {"cpu": "1250m", "memory": "1152Mi"}
    assert used_by([reserving("500m", 1000), reserving("0.5", "1k")]) == {"cpu": "1", "memory": "2000"}


def test_an_instance_without_a_reservation_or_with_nonsense_uses_nothing() -> None:
    assert used_by([Instance(), reserving(None, None), reserving("1e1.5", "lots")]) == {"cpu": "0", "memory": "0"}
