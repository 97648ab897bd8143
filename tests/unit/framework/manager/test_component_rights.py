"""What a manager says that its parts must be allowed to do."""

from typing import Any

from apis.core.v1 import ConfigMap, Namespace, Pod, Secret
from apis.meta import Key, Request, resource_type_of
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.controller import ControllerOptions, Primary
from framework.informers import InformerOptions
from framework.manager import Manager, ManagerOptions
from framework.reconcile import Result
from framework.rights import Right
from framework.webhooks import WebhookOptions


class Idle:
    def reconcile(self, _request: Request) -> Result:
        return Result.await_change()


def manager(**options: Any) -> Manager:
    return Manager(in_process_client(ApiServer()), options=ManagerOptions(**{"namespaces": ("a", "b"), **options}))


def rights(made: Manager, *informers: Any, declared: tuple[Right, ...] = ()) -> set[tuple[str, str, str, str]]:
    options = ControllerOptions(rights=declared)
    made.add_controller("idle", Idle(), [Primary(each) for each in informers], options)
    return {(str(right), right.place, right.namespace, right.name) for right in made.rights()["idle"]}


def test_sources_bring_the_rights_to_follow_them_and_declared_ones_come_with_them() -> None:
    made = manager()

    found = rights(made, made.informer(Pod), declared=(Right("patch", resource_type_of(Pod), "status"),))

    assert found == {
        ("list pods", "watched", "", ""),
        ("watch pods", "watched", "", ""),
        ("patch pods/status", "watched", "", ""),
    }


def test_informer_of_other_namespaces_brings_rights_there() -> None:
    made = manager()
    elsewhere = made.informer(Secret, InformerOptions(namespaces=("kube-system",)))
    everywhere = made.informer(ConfigMap, InformerOptions())

    assert rights(made, elsewhere, everywhere) == {
        ("list secrets", "watched", "kube-system", ""),
        ("watch secrets", "watched", "kube-system", ""),
        ("list configmaps", "all", "", ""),
        ("watch configmaps", "all", "", ""),
    }


def test_informer_of_one_name_brings_rights_for_that_name_alone() -> None:
    made = manager()
    one = made.informer(Secret, InformerOptions(namespaces=("a", "b"), fields="metadata.name=keys"))

    assert rights(made, one) == {
        ("list secrets named keys", "watched", "", "keys"),
        ("watch secrets named keys", "watched", "", "keys"),
    }


def test_kind_without_a_namespace_is_followed_wherever_the_manager_watches() -> None:
    made = manager()

    assert rights(made, made.informer(Namespace)) == {
        ("list namespaces", "watched", "", ""),
        ("watch namespaces", "watched", "", ""),
    }


def test_parts_of_the_manager_have_rights_of_their_own() -> None:
    made = manager(lease=Key("home", "one"), follow_definitions=True)

    found = {name: [str(right) for right in some] for name, some in made.rights().items()}

    assert found == {
        "leader-election": [
            "create leases.coordination.k8s.io",
            "get leases.coordination.k8s.io named one",
            "patch leases.coordination.k8s.io named one",
        ],
        "definitions": [
            "list customresourcedefinitions.apiextensions.k8s.io",
            "watch customresourcedefinitions.apiextensions.k8s.io",
        ],
    }


def test_needs_are_in_the_namespaces_of_the_process() -> None:
    made = manager(lease=Key("home", "one"))
    rights(made, made.informer(Pod))

    assert {(str(need), need.namespace) for need in made.needs("idle")} == {
        ("list pods", "a"),
        ("list pods", "b"),
        ("watch pods", "a"),
        ("watch pods", "b"),
    }
    assert {need.namespace for need in made.needs("leader-election")} == {"home"}


def test_webhooks_have_rights_limited_to_the_names_of_what_they_keep() -> None:
    made = manager(webhooks=WebhookOptions(name="shop", url="https://127.0.0.1:9443"))
    made.webhooks.validate(ConfigMap, lambda _: None)

    found = made.rights()["webhooks"]

    assert {right.verb for right in found if not right.name} == {"create"}
    assert {right.name for right in found if right.name} == {"shop", "shop-webhook-certificates"}
    assert {right.namespace for right in found if right.resource.plural == "secrets"} == {"default"}
