"""References into other namespaces."""

import msgspec
import pytest

from apis.core.v1 import ConfigMap, Namespace, Pod, Secret
from apis.meta import Key, ObjectMeta, ResourceType, resource_type_of
from framework.apply import Grant, References
from framework.errors import TerminalError

HERE = Pod(metadata=ObjectMeta(name="p", namespace="here"))


@pytest.mark.parametrize("namespace", ["", "here"])
def test_the_own_namespace_is_always_allowed(namespace: str) -> None:
    assert References().check_reference(HERE, Secret, namespace, "s") == Key("here", "s")


def test_another_namespace_is_refused_in_one_line_that_says_what_to_do() -> None:
    with pytest.raises(TerminalError) as refusal:
        References().check_reference(HERE, Secret, "there", "s")

    assert str(refusal.value) == (
        "here/p refers to Secret 's' in namespace 'there', which is not allowed from 'here'; "
        "refer to one in 'here', or declare a Grant where the controller is registered"
    )


def test_what_is_of_the_whole_cluster_needs_a_grant_too() -> None:
    with pytest.raises(TerminalError, match="of the whole cluster"):
        References().check_reference(HERE, Namespace, "", "kube-system")

    allowed = References([Grant(Namespace, namespace="")])
    assert allowed.check_reference(HERE, Namespace, "ignored", "kube-system") == Key("", "kube-system")


@pytest.mark.parametrize(
    "grant",
    [
        Grant(Secret, namespace="there"),
        Grant(Secret, namespace="*"),
        Grant(Secret, namespace="there", from_namespace="here"),
        Grant(Secret, namespace="there", name="s"),
        Grant(resource_type_of(Secret), namespace="there"),
    ],
)
def test_a_grant_that_covers_the_reference_allows_it(grant: Grant) -> None:
    assert References([grant]).check_reference(HERE, Secret, "there", "s") == Key("there", "s")


@pytest.mark.parametrize(
    "grant",
    [
        Grant(ConfigMap, namespace="there"),
        Grant(Secret, namespace="elsewhere"),
        Grant(Secret, namespace="there", from_namespace="other"),
        Grant(Secret, namespace="there", name="t"),
        Grant(Secret, namespace=""),
    ],
)
def test_a_grant_for_something_else_does_not(grant: Grant) -> None:
    with pytest.raises(TerminalError):
        References([grant]).check_reference(HERE, Secret, "there", "s")


def test_a_grant_holds_for_every_version_of_its_kind() -> None:
    granted = resource_type_of(Secret)
    newer: ResourceType = msgspec.structs.replace(granted, gvk=granted.gvk._replace(version="v2"))

    assert References([Grant(Secret, namespace="there")]).check_reference(HERE, newer, "there", "s").name == "s"


def test_an_object_of_the_whole_cluster_may_name_everything() -> None:
    owner = Namespace(metadata=ObjectMeta(name="n"))

    assert References().check_reference(owner, Secret, "there", "s") == Key("there", "s")
