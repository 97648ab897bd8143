from framework.apiserver.builtin import BuiltinResource, builtin_resources
from framework.apiserver.objects import GroupKind, GroupResource


def resource(kind: str, api_version: str) -> BuiltinResource:
    return next(one for one in builtin_resources() if (one.kind, one.api_version) == (kind, api_version))


def test_both_groups_of_events_show_the_same_objects() -> None:
    newer = resource("Event", "events.k8s.io/v1")

    assert newer.storage == resource("Event", "v1").storage == GroupResource("", "events")
    assert newer.kind_in_errors == GroupKind("", "Event")


def test_namespaces_cannot_be_deleted_as_a_collection() -> None:
    assert "deletecollection" not in resource("Namespace", "v1").verbs


def test_workloads_with_replicas_can_be_scaled() -> None:
    scalable = {one.kind for one in builtin_resources() if one.scale is not None}

    assert scalable == {"Deployment", "ReplicaSet", "StatefulSet"}


def test_reviews_are_virtual() -> None:
    assert resource("TokenReview", "authentication.k8s.io/v1").is_virtual
    assert not resource("Pod", "v1").is_virtual


def test_apply_to_a_subresource_owns_only_what_it_can_write() -> None:
    assert resource("Deployment", "apps/v1").reset_fields == {
        "": (("status",),),
        "status": (("spec",), ("metadata", "labels")),
    }
    assert resource("Namespace", "v1").reset_fields["finalize"] == (("status",),)
    assert resource("ConfigMap", "v1").reset_fields == {}
