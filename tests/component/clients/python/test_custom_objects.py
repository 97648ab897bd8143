"""CustomObjectsApi, and patches of each type."""

from typing import Any

import pytest
from kubernetes.client.exceptions import ApiException

from tests.component.clients.package import client
from tests.component.clients.python.conftest import GROUP, VERSION, WIDGETS, a_widget


def test_custom_object_lives_from_creation_to_deletion(custom: Any, namespace: str) -> None:
    where = (GROUP, VERSION, namespace, WIDGETS)
    created = custom.create_namespaced_custom_object(*where, a_widget("one", color="red"))
    created["spec"]["color"] = "blue"
    replaced = custom.replace_namespaced_custom_object(*where, "one", created)
    status = custom.patch_namespaced_custom_object_status(*where, "one", {"status": {"phase": "Ready"}})
    scale = custom.get_namespaced_custom_object_scale(*where, "one")
    listed = custom.list_namespaced_custom_object(*where, field_selector="spec.color=blue")
    custom.delete_namespaced_custom_object(*where, "one")

    assert replaced["metadata"]["generation"] == 2
    assert (status["status"], status["metadata"]["generation"]) == ({"phase": "Ready"}, 2)
    assert scale["spec"] == {"replicas": 1}
    assert [one["metadata"]["name"] for one in listed["items"]] == ["one"]
    assert custom.list_namespaced_custom_object(*where)["items"] == []


PATCHES: dict[str, Any] = {
    "application/merge-patch+json": {"spec": {"color": "blue"}},
    "application/json-patch+json": [{"op": "replace", "path": "/spec/color", "value": "blue"}],
}


@pytest.mark.parametrize("content_type", PATCHES)
def test_custom_object_is_patched(content_type: str, custom: Any, namespace: str) -> None:
    where = (GROUP, VERSION, namespace, WIDGETS)
    custom.create_namespaced_custom_object(*where, a_widget("one", color="red"))

    patched = custom.patch_namespaced_custom_object(*where, "one", PATCHES[content_type], _content_type=content_type)

    assert patched["spec"] == {"color": "blue", "replicas": 1}


def test_custom_object_is_applied_by_two_managers(custom: Any, namespace: str) -> None:
    where = (GROUP, VERSION, namespace, WIDGETS)
    how: dict[str, Any] = {"_content_type": "application/apply-patch+yaml"}

    custom.patch_namespaced_custom_object(*where, "one", a_widget("one", color="red"), field_manager="a", **how)
    with pytest.raises(ApiException, match=r'conflict with \\+"a\\+"') as conflict:
        custom.patch_namespaced_custom_object(*where, "one", a_widget("one", color="blue"), field_manager="b", **how)
    forced = custom.patch_namespaced_custom_object(
        *where, "one", a_widget("one", color="blue"), field_manager="b", force=True, **how
    )

    assert conflict.value.status == 409
    assert forced["spec"]["color"] == "blue"


def test_strategic_patch_merges_lists_of_built_in_kinds_by_key(core: Any, namespace: str) -> None:
    ports = [client.V1ServicePort(name="http", port=80)]
    service = client.V1Service(metadata=client.V1ObjectMeta(name="web"), spec=client.V1ServiceSpec(ports=ports))
    core.create_namespaced_service(namespace, service)

    patched = core.patch_namespaced_service("web", namespace, {"spec": {"ports": [{"name": "metrics", "port": 90}]}})

    assert sorted(port.port for port in patched.spec.ports) == [80, 90]


def test_refused_object_names_the_field(custom: Any, namespace: str) -> None:
    with pytest.raises(ApiException, match=r"spec\.color: Unsupported value") as refused:
        custom.create_namespaced_custom_object(GROUP, VERSION, namespace, WIDGETS, a_widget("one", color="mauve"))

    assert refused.value.status == 422
