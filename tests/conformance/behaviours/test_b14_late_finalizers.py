"""Nobody may hold back an object any more that is being deleted."""

import pytest

from tests.conformance.api import Api
from tests.conformance.kinds import config_map, config_maps, widget, widgets

pytestmark = pytest.mark.behaviour("B14")
WHY = "no new finalizers can be added if the object is being deleted, found new finalizers"


def test_a_new_finalizer_is_refused(api: Api, namespace: str) -> None:
    obj = config_map()
    obj["metadata"]["finalizers"] = ["example.com/hold"]
    api.create(config_maps(namespace), obj)
    api.delete(config_maps(namespace, "one"))

    finalizers = ["example.com/hold", "example.com/late"]
    reply = api.patch(config_maps(namespace, "one"), {"metadata": {"finalizers": finalizers}})

    why = f'metadata.finalizers: Forbidden: {WHY} []string{{"example.com/late"}}'
    assert reply.error == (422, "Invalid", f'ConfigMap "one" is invalid: {why}')
    assert {cause["reason"] for cause in reply.causes} == {"FieldValueForbidden"}


def test_a_new_finalizer_of_a_custom_resource_is_refused(api: Api, namespace: str) -> None:
    obj = widget()
    obj["metadata"]["finalizers"] = ["example.com/hold"]
    api.create(widgets(namespace), obj)
    api.delete(widgets(namespace, "one"))

    reply = api.patch(widgets(namespace, "one"), {"metadata": {"finalizers": ["example.com/late"]}})

    assert (reply.status, reply.reason) == (422, "Invalid")
    assert f'metadata.finalizers: Forbidden: {WHY} []string{{"example.com/late"}}' in reply.message


def test_others_may_be_removed_or_reordered(api: Api, namespace: str) -> None:
    obj = widget()
    obj["metadata"]["finalizers"] = ["example.com/a", "example.com/b", "example.com/c"]
    api.create(widgets(namespace), obj)
    api.delete(widgets(namespace, "one"))

    finalizers = ["example.com/c", "example.com/a"]
    reply = api.patch(widgets(namespace, "one"), {"metadata": {"finalizers": finalizers}})

    assert reply.ok["metadata"]["finalizers"] == finalizers
