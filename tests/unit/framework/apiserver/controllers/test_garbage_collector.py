from typing import Any

import pytest

from framework.apiserver.objects import Object
from framework.apiserver.storage import StorageOptions
from tests.unit.framework.apiserver.controllers.cluster import Cluster, config_map, config_maps, reference_to
from tests.unit.framework.apiserver.controllers.definitions import DEFINITIONS, thing_definition

HOLD = "example.com/hold"
ROLES = "/apis/rbac.authorization.k8s.io/v1/clusterroles"


@pytest.fixture
def cluster() -> Cluster:
    started = Cluster()
    started.settle()
    return started


def owner_and_dependent(cluster: Cluster, *, blocks: bool = False, **dependent: Any) -> Object:
    owner = cluster.create(config_maps(), config_map("owner"))
    cluster.create(config_maps(), config_map("dependent", owner, blocks=blocks, **dependent))
    cluster.settle()
    return owner


def finalizers_of(obj: Object) -> list[str]:
    return obj["metadata"].get("finalizers") or []


def test_dependents_stay_while_their_owner_is_there(cluster: Cluster) -> None:
    owner_and_dependent(cluster)

    assert cluster.names(config_maps()) == ["dependent", "owner"]


def test_background_deletion_removes_the_owner_at_once_and_then_its_dependents(cluster: Cluster) -> None:
    owner_and_dependent(cluster)

    cluster.delete(config_maps("owner"), "Background")

    assert cluster.names(config_maps()) == ["dependent"]
    cluster.settle()
    assert cluster.names(config_maps()) == []


def test_a_deletion_without_policy_is_one_in_the_background(cluster: Cluster) -> None:
    owner_and_dependent(cluster)

    cluster.delete(config_maps("owner"))
    cluster.settle()

    assert cluster.names(config_maps()) == []


def test_a_whole_chain_goes_with_its_head(cluster: Cluster) -> None:
    link = cluster.create(config_maps(), config_map("link-0"))
    for number in range(1, 8):
        link = cluster.create(config_maps(), config_map(f"link-{number}", link))
    cluster.settle()

    cluster.delete(config_maps("link-0"))
    cluster.settle()

    assert cluster.names(config_maps()) == []


def test_orphaning_leaves_the_dependents_without_the_reference(cluster: Cluster) -> None:
    owner_and_dependent(cluster)

    cluster.delete(config_maps("owner"), "Orphan")

    assert finalizers_of(cluster.read(config_maps("owner"))) == ["orphan"]
    cluster.settle()
    assert cluster.names(config_maps()) == ["dependent"]
    assert "ownerReferences" not in cluster.read(config_maps("dependent"))["metadata"]


def test_orphaning_keeps_the_references_to_other_owners(cluster: Cluster) -> None:
    first = cluster.create(config_maps(), config_map("first"))
    second = cluster.create(config_maps(), config_map("second"))
    cluster.create(config_maps(), config_map("dependent", first, second))
    cluster.settle()

    cluster.delete(config_maps("first"), "Orphan")
    cluster.settle()

    assert cluster.read(config_maps("dependent"))["metadata"]["ownerReferences"] == [reference_to(second)]


def test_foreground_deletion_keeps_the_owner_until_blocking_dependents_are_gone(cluster: Cluster) -> None:
    owner_and_dependent(cluster, blocks=True, finalizers=(HOLD,))

    cluster.delete(config_maps("owner"), "Foreground")
    cluster.settle()

    assert finalizers_of(cluster.read(config_maps("owner"))) == ["foregroundDeletion"]
    assert "deletionTimestamp" in cluster.read(config_maps("dependent"))["metadata"]
    cluster.release(config_maps("dependent"))
    cluster.settle()
    assert cluster.names(config_maps()) == []


def test_foreground_deletion_does_not_wait_for_dependents_that_do_not_block(cluster: Cluster) -> None:
    owner_and_dependent(cluster, blocks=False, finalizers=(HOLD,))

    cluster.delete(config_maps("owner"), "Foreground")
    cluster.settle()

    assert cluster.names(config_maps()) == ["dependent"]
    assert "deletionTimestamp" in cluster.read(config_maps("dependent"))["metadata"]


def test_foreground_deletion_goes_down_the_whole_tree(cluster: Cluster) -> None:
    top = cluster.create(config_maps(), config_map("top"))
    middle = cluster.create(config_maps(), config_map("middle", top, blocks=True))
    cluster.create(config_maps(), config_map("leaf", middle, blocks=True, finalizers=(HOLD,)))
    cluster.settle()

    cluster.delete(config_maps("top"), "Foreground")
    cluster.settle()

    assert cluster.names(config_maps()) == ["leaf", "middle", "top"]
    assert finalizers_of(cluster.read(config_maps("middle"))) == ["foregroundDeletion"]
    cluster.release(config_maps("leaf"))
    cluster.settle()
    assert cluster.names(config_maps()) == []


def test_a_dependent_that_stops_blocking_releases_its_owner(cluster: Cluster) -> None:
    owner = owner_and_dependent(cluster, blocks=True, finalizers=(HOLD,))
    cluster.delete(config_maps("owner"), "Foreground")
    cluster.settle()

    cluster.patch(config_maps("dependent"), {"metadata": {"ownerReferences": [reference_to(owner)]}})
    cluster.settle()

    assert cluster.names(config_maps()) == ["dependent"]


def test_a_dependent_that_leaves_its_owner_releases_it(cluster: Cluster) -> None:
    owner_and_dependent(cluster, blocks=True, finalizers=(HOLD,))
    cluster.delete(config_maps("owner"), "Foreground")
    cluster.settle()

    cluster.patch(config_maps("dependent"), {"metadata": {"ownerReferences": None}})
    cluster.settle()

    assert cluster.names(config_maps()) == ["dependent"]


def test_a_second_owner_keeps_the_dependent_and_the_dangling_reference_goes(cluster: Cluster) -> None:
    first = cluster.create(config_maps(), config_map("first"))
    second = cluster.create(config_maps(), config_map("second"))
    cluster.create(config_maps(), config_map("dependent", first, second, blocks=True))
    cluster.settle()

    cluster.delete(config_maps("first"))
    cluster.settle()

    kept = cluster.read(config_maps("dependent"))["metadata"]["ownerReferences"]
    assert [one["uid"] for one in kept] == [second["metadata"]["uid"]]


def test_an_owner_deleted_in_the_foreground_does_not_wait_for_what_another_keeps(cluster: Cluster) -> None:
    first = cluster.create(config_maps(), config_map("first"))
    second = cluster.create(config_maps(), config_map("second"))
    cluster.create(config_maps(), config_map("dependent", first, second, blocks=True))
    cluster.settle()

    cluster.delete(config_maps("first"), "Foreground")
    cluster.settle()

    assert cluster.names(config_maps()) == ["dependent", "second"]


def test_the_last_of_several_owners_takes_the_dependent_along(cluster: Cluster) -> None:
    first = cluster.create(config_maps(), config_map("first"))
    second = cluster.create(config_maps(), config_map("second"))
    cluster.create(config_maps(), config_map("dependent", first, second))
    cluster.settle()

    cluster.delete(config_maps("first"))
    cluster.delete(config_maps("second"))
    cluster.settle()

    assert cluster.names(config_maps()) == []


@pytest.mark.parametrize("policy", ["Background", "Foreground"])
def test_a_circle_of_owners_goes_as_a_whole(cluster: Cluster, policy: str) -> None:
    one = cluster.create(config_maps(), config_map("one"))
    two = cluster.create(config_maps(), config_map("two", one, blocks=True))
    three = cluster.create(config_maps(), config_map("three", two, blocks=True))
    cluster.patch(config_maps("one"), {"metadata": {"ownerReferences": [reference_to(three, blocks=True)]}})
    cluster.settle()

    cluster.delete(config_maps("one"), policy)
    cluster.settle()

    assert cluster.names(config_maps()) == []


def test_an_owner_made_again_under_its_name_is_another_one(cluster: Cluster) -> None:
    owner_and_dependent(cluster)

    cluster.delete(config_maps("owner"))
    cluster.create(config_maps(), config_map("owner"))
    cluster.settle()

    assert cluster.names(config_maps()) == ["owner"]


def test_a_dependent_that_never_had_its_owner_goes(cluster: Cluster) -> None:
    nobody = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "nobody", "uid": "no-uid"}}
    cluster.create(config_maps(), config_map("dependent", nobody))

    cluster.settle()

    assert cluster.names(config_maps()) == []


def test_an_owner_in_another_namespace_is_no_owner(cluster: Cluster) -> None:
    owner = cluster.create(config_maps(), config_map("owner"))
    cluster.create(config_maps(namespace="kube-public"), config_map("dependent", owner))

    cluster.settle()

    assert cluster.names(config_maps(namespace="kube-public")) == []


def test_a_namespaced_object_may_have_an_owner_without_namespace(cluster: Cluster) -> None:
    role = cluster.create(ROLES, {"kind": "ClusterRole", "metadata": {"name": "owner"}, "rules": []})
    cluster.create(config_maps(), config_map("dependent", role))
    cluster.settle()
    assert cluster.names(config_maps()) == ["dependent"]

    cluster.delete(f"{ROLES}/owner")
    cluster.settle()

    assert cluster.names(config_maps()) == []


def test_an_object_without_namespace_is_never_collected_for_an_owner_in_one(cluster: Cluster) -> None:
    owner = cluster.create(config_maps(), config_map("owner"))
    metadata = {"name": "dependent", "ownerReferences": [reference_to(owner)]}
    cluster.create(ROLES, {"kind": "ClusterRole", "metadata": metadata, "rules": []})

    cluster.delete(config_maps("owner"))
    cluster.settle()

    assert cluster.get(f"{ROLES}/dependent") is not None


def test_nothing_is_decided_while_the_kind_of_an_owner_is_not_served(cluster: Cluster) -> None:
    gone = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "gone", "uid": "no-uid"}}
    stranger = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a", "uid": "a-uid"}}
    cluster.create(config_maps(), config_map("dependent", gone, stranger))

    cluster.settle()

    assert len(cluster.read(config_maps("dependent"))["metadata"]["ownerReferences"]) == 2


def test_it_is_decided_when_the_kind_of_the_owner_becomes_served(cluster: Cluster) -> None:
    stranger = {"apiVersion": "example.com/v1", "kind": "Thing", "metadata": {"name": "a", "uid": "a-uid"}}
    cluster.create(config_maps(), config_map("dependent", stranger))
    cluster.settle()

    cluster.create(DEFINITIONS, thing_definition())
    cluster.settle()

    assert cluster.names(config_maps()) == []


def test_a_collector_that_was_not_running_finds_what_it_missed(cluster: Cluster) -> None:
    owner_and_dependent(cluster)
    cluster.delete(config_maps("owner"))

    cluster.restart_controllers()
    cluster.settle()

    assert cluster.names(config_maps()) == []


def test_a_collector_carries_on_in_the_middle_of_a_foreground_deletion(cluster: Cluster) -> None:
    owner_and_dependent(cluster, blocks=True)
    cluster.delete(config_maps("owner"), "Foreground")

    cluster.restart_controllers()
    cluster.settle()

    assert cluster.names(config_maps()) == []


def test_changes_beyond_the_window_of_history_are_not_missed() -> None:
    cluster = Cluster(history=StorageOptions(history_limit=4))
    owner_and_dependent(cluster)

    cluster.delete(config_maps("owner"))
    for number in range(20):
        cluster.create(config_maps(), config_map(f"other-{number}"))
        cluster.delete(config_maps(f"other-{number}"))
    cluster.settle()

    assert cluster.names(config_maps()) == []


def test_a_dependent_that_found_another_owner_meanwhile_is_not_deleted(cluster: Cluster) -> None:
    owner_and_dependent(cluster)
    new = cluster.create(config_maps(), config_map("new"))

    cluster.delete(config_maps("owner"))
    cluster.patch(config_maps("dependent"), {"metadata": {"ownerReferences": [reference_to(new)]}})
    cluster.settle()

    assert cluster.names(config_maps()) == ["dependent", "new"]


def test_a_deletion_that_is_refused_is_tried_again_later(cluster: Cluster) -> None:
    owner_and_dependent(cluster)
    cluster.create("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations", refuse_deletions())

    cluster.delete(config_maps("owner"))
    wait = cluster.settle()

    assert wait == 1.0
    assert cluster.names(config_maps()) == ["dependent"]
    cluster.delete("/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/refuse")
    cluster.time.advance(1.0)
    cluster.settle()
    assert cluster.names(config_maps()) == []


def test_a_settled_cluster_is_quiet(cluster: Cluster) -> None:
    owner_and_dependent(cluster, blocks=True, finalizers=(HOLD,))
    cluster.delete(config_maps("owner"), "Foreground")
    cluster.settle()
    before = cluster.revision

    cluster.settle_through(30.0)

    assert cluster.revision == before


def refuse_deletions() -> Object:
    rule = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["DELETE"], "resources": ["configmaps"]}
    webhook = {
        "name": "refuse.example.com",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": "Fail",
        "matchConditions": [{"name": "dependent", "expression": "request.name == 'dependent'"}],
        # Nobody listens there, so that every deletion fails.
        "clientConfig": {"url": "https://127.0.0.1:1/refuse"},
        "rules": [rule],
    }
    return {"kind": "ValidatingWebhookConfiguration", "metadata": {"name": "refuse"}, "webhooks": [webhook]}
