"""Who may own whom."""

import pytest

from apis.core.v1 import ConfigMap, Namespace, Pod
from apis.meta import Key, KubeObject, ObjectMeta, OwnerReference, resource_type_of
from framework.apply import controller_uids, owner_reference
from framework.errors import TerminalError


def refer(owner: KubeObject, child: type[KubeObject], key: Key) -> OwnerReference:
    return owner_reference(owner, resource_type_of(type(owner)), resource_type_of(child), key)


NAMESPACED = Pod(metadata=ObjectMeta(name="owner", namespace="here", uid="u"))
CLUSTER_SCOPED = Namespace(metadata=ObjectMeta(name="owner", uid="u"))


def test_an_owner_controls_and_blocks_its_own_deletion() -> None:
    reference = refer(NAMESPACED, ConfigMap, Key("here", "child"))

    expected = OwnerReference(
        api_version="v1", kind="Pod", name="owner", uid="u", controller=True, block_owner_deletion=True
    )
    assert reference == expected


@pytest.mark.parametrize(("child", "key"), [(ConfigMap, Key("anywhere", "child")), (Namespace, Key("", "child"))])
def test_an_owner_of_the_whole_cluster_may_own_everything(child: type[KubeObject], key: Key) -> None:
    assert refer(CLUSTER_SCOPED, child, key).uid == "u"


@pytest.mark.parametrize(
    ("owner", "child", "key", "message"),
    [
        (NAMESPACED, Namespace, Key("", "c"), "Pod here/owner cannot own Namespace c: the owner is namespaced"),
        (NAMESPACED, ConfigMap, Key("there", "c"), "cannot own ConfigMap there/c: an owner must be in the child's"),
        (CLUSTER_SCOPED, ConfigMap, Key("", "c"), "set its metadata.namespace"),
        (CLUSTER_SCOPED, Namespace, Key("there", "c"), "remove metadata.namespace"),
        (Pod(metadata=ObjectMeta(name="o", namespace="here")), ConfigMap, Key("here", "c"), "Pod here/o has no uid"),
    ],
)
def test_what_the_garbage_collector_would_misunderstand_is_refused(
    owner: KubeObject, child: type[KubeObject], key: Key, message: str
) -> None:
    with pytest.raises(TerminalError, match=message) as refusal:
        refer(owner, child, key)

    assert "\n" not in str(refusal.value)


def test_children_are_filed_under_their_controller_alone() -> None:
    owners = [
        OwnerReference(api_version="v1", kind="Pod", name="a", uid="owner"),
        OwnerReference(api_version="v1", kind="Pod", name="b", uid="controller", controller=True),
    ]

    assert controller_uids(ConfigMap(metadata=ObjectMeta(owner_references=owners))) == ("controller",)
    assert controller_uids(ConfigMap(metadata=ObjectMeta(owner_references=owners[:1]))) == ()
