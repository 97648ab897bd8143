"""The server alone says which object it is and when it was made."""

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B6")
OTHER_UID = "00000000-0000-4000-8000-000000000000"
LONG_AGO = "2001-02-03T04:05:06Z"


def test_uid_and_creation_time_of_the_client_are_ignored_on_create(api: Api, namespace: str) -> None:
    obj = config_map()
    obj["metadata"].update(uid=OTHER_UID, creationTimestamp=LONG_AGO)

    metadata = api.create(config_maps(namespace), obj).ok["metadata"]

    assert metadata["uid"] != OTHER_UID
    assert metadata["creationTimestamp"] != LONG_AGO


def test_an_object_made_anew_has_another_uid(api: Api, namespace: str) -> None:
    before = api.create(widgets(namespace), widget()).ok
    api.delete(widgets(namespace, "one"))

    after = api.create(widgets(namespace), widget()).ok

    assert after["metadata"]["uid"] != before["metadata"]["uid"]


def test_a_put_with_another_uid_is_a_conflict(api: Api, namespace: str) -> None:
    obj = api.create(widgets(namespace), widget()).ok
    uid = obj["metadata"]["uid"]
    obj["metadata"]["uid"] = OTHER_UID

    reply = api.put(widgets(namespace, "one"), obj)

    name = "widgets.conformance.windlass.dev"
    assert (reply.status, reply.reason) == (409, "Conflict")
    assert reply.message.startswith(f'Operation cannot be fulfilled on {name} "one": ')
    why = f"Precondition failed: UID in precondition: {OTHER_UID}, UID in object meta: {uid}"
    assert reply.message.endswith(why)


def test_a_put_without_a_uid_keeps_it(api: Api, namespace: str) -> None:
    before = api.create(widgets(namespace), widget(size=1)).ok
    wanted = widget(size=2)
    wanted["metadata"]["resourceVersion"] = before["metadata"]["resourceVersion"]

    after = api.put(widgets(namespace, "one"), wanted).ok

    assert after["metadata"]["uid"] == before["metadata"]["uid"]
    assert after["metadata"]["creationTimestamp"] == before["metadata"]["creationTimestamp"]


def test_an_apply_cannot_change_the_uid(api: Api, namespace: str) -> None:
    api.create(widgets(namespace), widget())
    wanted = widget(size=1)
    wanted["metadata"]["uid"] = OTHER_UID

    reply = api.apply(widgets(namespace, "one"), wanted, "me")

    assert (reply.status, reply.reason) == (422, "Invalid")
    assert f'metadata.uid: Invalid value: "{OTHER_UID}": field is immutable' in reply.message


def test_an_apply_with_a_uid_does_not_create(api: Api, namespace: str) -> None:
    wanted = widget(size=1)
    wanted["metadata"]["uid"] = OTHER_UID

    reply = api.apply(widgets(namespace, "one"), wanted, "me")

    name = "widgets.conformance.windlass.dev"
    why = f"uid mismatch: the provided object specified uid {OTHER_UID}, and no existing object was found"
    assert reply.error == (409, "Conflict", f'Operation cannot be fulfilled on {name} "one": {why}')


def test_a_merge_patch_cannot_change_the_uid(api: Api, namespace: str) -> None:
    api.create(config_maps(namespace), config_map())

    reply = api.patch(config_maps(namespace, "one"), {"metadata": {"uid": OTHER_UID}})

    why = f'metadata.uid: Invalid value: "{OTHER_UID}": field is immutable'
    assert reply.error == (422, "Invalid", f'ConfigMap "one" is invalid: {why}')
