"""A deletion of exactly the object that was meant."""

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import widget, widgets

pytestmark = pytest.mark.behaviour("B17")
OTHER_UID = "00000000-0000-4000-8000-000000000000"
# Here the server names the kind where other messages name the resource.
CONFLICT = 'Operation cannot be fulfilled on Widget.conformance.windlass.dev "one": '


def test_another_uid_is_a_conflict(api: Api, namespace: str) -> None:
    uid = api.create(widgets(namespace), widget()).ok["metadata"]["uid"]

    reply = api.delete(widgets(namespace, "one"), {"preconditions": {"uid": OTHER_UID}})

    why = f"the UID in the precondition ({OTHER_UID}) does not match the UID in record ({uid}). "
    assert reply.error == (
        409,
        "Conflict",
        f"{CONFLICT}{why}The object might have been deleted and then recreated",
    )
    assert api.get(widgets(namespace, "one")).status == 200


def test_another_version_is_a_conflict(api: Api, namespace: str) -> None:
    old = api.create(widgets(namespace), widget()).ok["metadata"]["resourceVersion"]
    new = api.patch(widgets(namespace, "one"), {"spec": {"size": 1}}).ok["metadata"]["resourceVersion"]

    reply = api.delete(widgets(namespace, "one"), {"preconditions": {"resourceVersion": old}})

    why = f"the ResourceVersion in the precondition ({old}) does not match the ResourceVersion in record ({new}). "
    assert reply.error == (409, "Conflict", f"{CONFLICT}{why}The object might have been modified")
    assert reply.document["details"] == {"name": "one", "group": "conformance.windlass.dev", "kind": "Widget"}


def test_the_right_uid_and_version_delete(api: Api, namespace: str) -> None:
    metadata = api.create(widgets(namespace), widget()).ok["metadata"]
    wanted = {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}

    assert api.delete(widgets(namespace, "one"), {"preconditions": wanted}).status == 200
    assert api.get(widgets(namespace, "one")).status == 404


def test_they_hold_for_a_mark_of_deletion_as_well(api: Api, namespace: str) -> None:
    obj = widget()
    obj["metadata"]["finalizers"] = ["example.com/hold"]
    api.create(widgets(namespace), obj)

    assert api.delete(widgets(namespace, "one"), {"preconditions": {"uid": OTHER_UID}}).status == 409
    assert "deletionTimestamp" not in api.get(widgets(namespace, "one")).ok["metadata"]
