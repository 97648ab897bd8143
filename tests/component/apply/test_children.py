"""Children on the embedded server."""

from collections.abc import Iterable
from typing import Any

import pytest

from apis.core.v1 import ConfigMap, Namespace
from apis.meta import Key, KubeObject, ObjectMeta, ResourceType, resource_type_of
from framework.apply import Desired, Outcome, OwnedChildren
from framework.errors import Conflict, TerminalError, WindlassError
from tests.component.apply.stage import (
    CLUSTER_ROLE,
    CONFIG_MAP,
    DEPLOYMENT,
    MANAGER,
    NAMESPACE,
    Cache,
    Stage,
    Widget,
    Writes,
    config_map,
    deployment,
)


class Hand:
    """A controller's hold on its children, with fresh caches unless a test wants stale ones."""

    def __init__(
        self, stage: Stage, *, kinds: Iterable[Any] = (CONFIG_MAP, DEPLOYMENT), owner: Any = Widget, **options: bool
    ) -> None:
        self.writes = Writes()
        client = stage.client.acting_as(MANAGER, self.writes)
        self.caches: list[Cache[Any]] = [Cache(client, kind) for kind in kinds]
        self._children = OwnedChildren(client, owner, self.caches, **options)

    def converge(self, owner: KubeObject, *desired: Desired, fresh: bool = True) -> Outcome:
        if fresh:
            for cache in self.caches:
                cache.refresh()
        self.writes.made.clear()
        return self._children.converge(owner, desired)


def names(children: Iterable[tuple[ResourceType, Key]]) -> list[str]:
    return [key.name for _, key in children]


def test_a_child_is_created_with_its_owner_as_controller(stage: Stage) -> None:
    owner = stage.widget()

    outcome = Hand(stage).converge(owner, config_map("a", text="1"), deployment("web"))

    assert names(outcome.created) == ["a", "web"]
    (reference,) = stage.get(CONFIG_MAP, "a")["metadata"]["ownerReferences"]
    assert reference == {
        "apiVersion": "test.windlass.dev/v1",
        "kind": "Widget",
        "name": "w",
        "uid": owner.metadata.uid,
        "controller": True,
        "blockOwnerDeletion": True,
    }


def test_the_garbage_collector_deletes_children_after_their_owner(stage: Stage) -> None:
    Hand(stage).converge(stage.widget(), config_map("a"))

    stage.client.delete(Widget, Key(NAMESPACE, "w"))
    stage.settle()

    assert stage.names(CONFIG_MAP) == set()


@pytest.mark.parametrize("child", [config_map("x", text="1"), deployment("x"), config_map("x")])
def test_a_settled_child_is_not_written(stage: Stage, child: dict[str, Any]) -> None:
    owner, hand = stage.widget(), Hand(stage)
    hand.converge(owner, child)

    outcome = hand.converge(owner, child)

    assert outcome.is_settled
    assert hand.writes.made == []


def test_a_typed_child_in_a_typed_cache_is_not_written_when_settled(stage: Stage) -> None:
    owner, hand = stage.widget(), Hand(stage, kinds=[ConfigMap])
    child = ConfigMap(metadata=ObjectMeta(name="a"), data={"text": "1"}, binary_data={"b": b"\x00"})
    hand.converge(owner, child)

    outcome = hand.converge(owner, child)

    assert outcome.is_settled
    assert hand.writes.made == []


def test_an_apply_that_is_judged_to_change_nothing_does_change_nothing(stage: Stage) -> None:
    owner, hand = stage.widget(), Hand(stage)
    hand.converge(owner, deployment("web"))
    before = stage.get(DEPLOYMENT, "web")
    assert hand.converge(owner, deployment("web")).is_settled

    manifest = deployment("web")
    manifest["metadata"] |= {"namespace": NAMESPACE, "ownerReferences": before["metadata"]["ownerReferences"]}
    stage.client.acting_as(MANAGER).apply(DEPLOYMENT, manifest)

    assert stage.get(DEPLOYMENT, "web") == before


def test_a_changed_child_is_applied_and_the_field_is_named(stage: Stage) -> None:
    owner, hand = stage.widget(), Hand(stage)
    hand.converge(owner, deployment("web"))

    outcome = hand.converge(owner, deployment("web", "nginx:2"))

    assert names(outcome.applied) == ["web"]
    assert outcome.deeds[0].difference == 'spec.template.spec.containers[{"name":"web"}].image'


def test_a_field_that_is_no_longer_desired_is_given_up(stage: Stage) -> None:
    owner, hand = stage.widget(), Hand(stage)
    hand.converge(owner, config_map("a", one="1", two="2"))

    outcome = hand.converge(owner, config_map("a", one="1"))

    assert outcome.deeds[0].difference == "data.two"
    assert stage.get(CONFIG_MAP, "a")["data"] == {"one": "1"}


def test_what_somebody_else_changed_is_put_back(stage: Stage) -> None:
    owner, hand = stage.widget(), Hand(stage)
    hand.converge(owner, deployment("web"))
    stage.client.merge_patch(DEPLOYMENT, Key(NAMESPACE, "web"), {"spec": {"replicas": 7}})

    outcome = hand.converge(owner, deployment("web"))

    assert outcome.deeds[0].difference == "spec.replicas"
    assert stage.get(DEPLOYMENT, "web")["spec"]["replicas"] == 2
    assert hand.converge(owner, deployment("web")).is_settled


def test_a_field_that_somebody_took_over_and_left_as_it_was_is_taken_back(stage: Stage) -> None:
    owner, hand = stage.widget(), Hand(stage)
    hand.converge(owner, deployment("web"))
    for replicas in (7, 2):
        stage.client.merge_patch(DEPLOYMENT, Key(NAMESPACE, "web"), {"spec": {"replicas": replicas}})

    outcome = hand.converge(owner, deployment("web"))

    assert names(outcome.applied) == ["web"]


def test_fields_of_others_stay_and_cause_no_write(stage: Stage) -> None:
    owner, hand = stage.widget(), Hand(stage)
    hand.converge(owner, deployment("web"))
    sidecar = {"spec": {"template": {"spec": {"containers": [{"name": "sidecar", "image": "s"}]}}}}
    other = {"metadata": {"name": "web", "namespace": NAMESPACE, "annotations": {"theirs": "x"}}, **sidecar}
    stage.client.acting_as("other").apply(DEPLOYMENT, other)

    outcome = hand.converge(owner, deployment("web"))

    assert outcome.is_settled
    assert len(stage.get(DEPLOYMENT, "web")["spec"]["template"]["spec"]["containers"]) == 2


def test_without_force_a_field_that_another_manager_holds_is_a_conflict(stage: Stage) -> None:
    owner, hand = stage.widget(), Hand(stage, force=False)
    hand.converge(owner, config_map("a", text="1"), config_map("b"))
    stage.client.acting_as("kubectl").merge_patch(CONFIG_MAP, Key(NAMESPACE, "a"), {"data": {"text": "2"}})

    with pytest.raises(Conflict, match=r"kubectl.*data\.text"):
        hand.converge(owner, config_map("a", text="1"))

    assert stage.names(CONFIG_MAP) == {"a", "b"}, "nothing is pruned after a failure"


def test_children_that_are_no_longer_desired_are_deleted_after_the_others_were_made(stage: Stage) -> None:
    owner, hand = stage.widget(), Hand(stage)
    hand.converge(owner, config_map("a"), deployment("web"))

    outcome = hand.converge(owner, config_map("b"))

    assert [deed.what for deed in outcome.deeds] == ["created", "pruned", "pruned"]
    assert (stage.names(CONFIG_MAP), stage.names(DEPLOYMENT)) == ({"b"}, set())


def test_only_what_this_owner_controls_and_we_applied_is_pruned(stage: Stage) -> None:
    owner, other = stage.widget("one"), stage.widget("two")
    hand = Hand(stage)
    hand.converge(owner, config_map("ours"))
    hand.converge(other, config_map("of-another-owner"))
    stage.client.create(ConfigMap(metadata=ObjectMeta(name="of-nobody", namespace=NAMESPACE)))
    references = stage.get(CONFIG_MAP, "ours")["metadata"]["ownerReferences"]
    by_hand = {"metadata": {"name": "by-hand", "namespace": NAMESPACE, "ownerReferences": references}}
    stage.client.acting_as("somebody").apply(CONFIG_MAP, by_hand)

    outcome = hand.converge(owner)

    assert names(outcome.pruned) == ["ours"]
    assert stage.names(CONFIG_MAP) == {"of-another-owner", "of-nobody", "by-hand"}


def test_a_child_that_left_its_owner_since_the_cache_saw_it_is_not_deleted(stage: Stage) -> None:
    owner, hand = stage.widget(), Hand(stage)
    hand.converge(owner, config_map("a"))
    hand.converge(owner, config_map("a"))
    stage.client.merge_patch(CONFIG_MAP, Key(NAMESPACE, "a"), {"metadata": {"ownerReferences": None}})

    with pytest.raises(Conflict):
        hand.converge(owner, fresh=False)

    assert stage.names(CONFIG_MAP) == {"a"}


def test_a_child_that_is_gone_already_is_no_failure_of_the_prune(stage: Stage) -> None:
    owner, hand = stage.widget(), Hand(stage)
    hand.converge(owner, config_map("a"))
    hand.converge(owner, config_map("a"))
    stage.client.delete(CONFIG_MAP, Key(NAMESPACE, "a"))

    outcome = hand.converge(owner, fresh=False)

    assert names(outcome.pruned) == ["a"]


def test_a_child_that_another_object_replaced_since_is_neither_written_nor_made(stage: Stage) -> None:
    owner, hand = stage.widget(), Hand(stage)
    hand.converge(owner, config_map("a", text="1"))
    hand.converge(owner, config_map("a", text="1"))
    stage.client.delete(CONFIG_MAP, Key(NAMESPACE, "a"))
    foreign = stage.client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace=NAMESPACE), data={"x": "y"}))

    with pytest.raises(Conflict):
        hand.converge(owner, config_map("a", text="2"), fresh=False)

    assert stage.client.get(ConfigMap, foreign.key) == foreign


def test_what_the_cache_does_not_show_yet_is_looked_up_and_not_written(stage: Stage) -> None:
    owner, hand = stage.widget(), Hand(stage)
    hand.converge(owner, config_map("a"))

    outcome = hand.converge(owner, config_map("a"), fresh=False)

    assert outcome.is_settled
    assert hand.writes.made == []


def test_an_object_that_nobody_controls_is_not_taken_over(stage: Stage) -> None:
    owner = stage.widget()
    foreign = stage.client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace=NAMESPACE), data={"x": "y"}))
    hand = Hand(stage)

    with pytest.raises(WindlassError, match="ConfigMap default/a exists and was not made by windlass/widget"):
        hand.converge(owner, config_map("a"))

    assert hand.writes.made == []
    assert stage.client.get(ConfigMap, foreign.key) == foreign


def test_with_adopt_an_object_that_nobody_controls_becomes_a_child(stage: Stage) -> None:
    owner = stage.widget()
    stage.client.create(ConfigMap(metadata=ObjectMeta(name="a", namespace=NAMESPACE), data={"x": "y"}))

    outcome = Hand(stage, adopt=True).converge(owner, config_map("a", text="1"))

    assert names(outcome.applied) == ["a"]
    assert stage.get(CONFIG_MAP, "a")["data"] == {"x": "y", "text": "1"}


def test_a_child_of_ours_that_was_orphaned_comes_back(stage: Stage) -> None:
    hand = Hand(stage)
    hand.converge(stage.widget(), config_map("a"))
    stage.client.delete(Widget, Key(NAMESPACE, "w"), propagation="Orphan")
    stage.settle()
    again = stage.widget()

    outcome = hand.converge(again, config_map("a"))

    assert names(outcome.applied) == ["a"]
    assert hand.converge(again, config_map("a")).is_settled


def test_what_another_owner_controls_is_left_to_it(stage: Stage) -> None:
    hand = Hand(stage, adopt=True)
    hand.converge(stage.widget("one"), config_map("a", text="1"))

    with pytest.raises(WindlassError, match="controlled by Widget one; it cannot become a child of default/two"):
        hand.converge(stage.widget("two"), config_map("a", text="2"))

    assert stage.get(CONFIG_MAP, "a")["data"] == {"text": "1"}


def test_a_child_that_is_being_deleted_is_waited_for(stage: Stage) -> None:
    owner, hand = stage.widget(), Hand(stage)
    held = config_map("a")
    held["metadata"]["finalizers"] = ["example.dev/hold"]
    hand.converge(owner, held)
    stage.client.delete(CONFIG_MAP, Key(NAMESPACE, "a"))

    outcome = hand.converge(owner, config_map("a", text="new"))
    stage.client.merge_patch(CONFIG_MAP, Key(NAMESPACE, "a"), {"metadata": {"finalizers": None}})
    afterwards = hand.converge(owner, config_map("a", text="new"))

    assert names(outcome.going) == ["a"]
    assert not outcome.is_settled
    assert names(afterwards.created) == ["a"]


def test_an_owner_that_is_being_deleted_gets_no_children(stage: Stage) -> None:
    hand = Hand(stage)
    hand.converge(stage.widget(), config_map("a"), config_map("b"))
    stage.client.merge_patch(Widget, Key(NAMESPACE, "w"), {"metadata": {"finalizers": ["example.dev/hold"]}})
    stage.client.delete(Widget, Key(NAMESPACE, "w"))
    going = stage.client.get(Widget, Key(NAMESPACE, "w"))

    outcome = hand.converge(going, config_map("a", text="changed"), config_map("c"))

    assert [deed.what for deed in outcome.deeds] == ["pruned"]
    assert stage.names(CONFIG_MAP) == {"a"}


def test_a_namespaced_owner_cannot_own_what_is_of_the_whole_cluster(stage: Stage) -> None:
    role = {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "ClusterRole", "metadata": {"name": "r"}}
    hand = Hand(stage, kinds=[CONFIG_MAP, CLUSTER_ROLE])

    with pytest.raises(TerminalError, match="the owner is namespaced and the child is cluster-scoped"):
        hand.converge(stage.widget(), config_map("a"), role)

    assert hand.writes.made == []


def test_an_owner_cannot_own_in_another_namespace(stage: Stage) -> None:
    stage.client.create(Namespace(metadata=ObjectMeta(name="elsewhere")))
    child = config_map("a")
    child["metadata"]["namespace"] = "elsewhere"
    hand = Hand(stage)

    with pytest.raises(TerminalError, match="an owner must be in the child's namespace; put the child into 'default'"):
        hand.converge(stage.widget(), child)

    assert hand.writes.made == []


def test_an_owner_of_the_whole_cluster_owns_in_any_namespace(stage: Stage) -> None:
    owner = stage.client.create(Namespace(metadata=ObjectMeta(name="owner")))
    child = config_map("a")
    child["metadata"]["namespace"] = NAMESPACE
    hand = Hand(stage, owner=Namespace)
    hand.converge(owner, child)
    stage.settle()

    assert hand.converge(owner, child).is_settled
    assert names(hand.converge(owner).pruned) == ["a"]


def test_an_untyped_owner_is_one_too(stage: Stage) -> None:
    stage.widget()
    owner: KubeObject = stage.client.get(resource_type_of(Widget), Key(NAMESPACE, "w"))

    outcome = Hand(stage, owner=resource_type_of(Widget)).converge(owner, config_map("a"))

    assert names(outcome.created) == ["a"]
