"""What the real API server stores of pods while the webhook is there, and while it is not."""

from typing import Any

import pytest

from apis.meta import GroupVersionKind, ResourceType, Unstructured
from framework.client import Client
from framework.errors import ApiError, Invalid
from framework.testing.control_plane.waiting import wait_until
from tests.integration.peerpods_webhook.webhook import LIMIT_SECONDS, Json, RolledOut, create_pod, target_spec

pytestmark = pytest.mark.xdist_group("peerpods-webhook-real")
_LIMIT_RANGE = ResourceType(GroupVersionKind("", "v1", "LimitRange"), "limitranges")
_PREFIX = "io.katacontainers.config.hypervisor."
_ONE_VM = {"requests": {"kata.peerpods.io/vm": "1"}, "limits": {"kata.peerpods.io/vm": "1"}}
# Made by the API server for each object.
_OWN = ("uid", "name", "creationTimestamp", "resourceVersion", "managedFields")


def _sizes(cpu: str, memory: str, limit_cpu: str, limit_memory: str) -> Json:
    return {
        "resources": {
            "requests": {"cpu": cpu, "memory": memory},
            "limits": {"cpu": limit_cpu, "memory": limit_memory},
        }
    }


_GPU = {"cpu": "1", "nvidia.com/gpu": "1"}
_VECTORS: dict[str, tuple[Json, Json]] = {
    "limits are larger": (target_spec(_sizes("2", "4Gi", "3", "5Gi")), {"vcpus": "3", "memory": "5120"}),
    "fractions": (target_spec(_sizes("200m", "4Gi", "1500m", "4Gi")), {"vcpus": "2", "memory": "4096"}),
    "an init container": (
        target_spec(_sizes("200m", "4Gi", "0.5", "4Gi"), init=[_sizes("200m", "4Gi", "0.7", "4Gi")]),
        {"vcpus": "2", "memory": "8192"},
    ),
    "all of it": (
        target_spec(
            _sizes("2", "4Gi", "3", "5Gi"),
            _sizes("1", "1Gi", "1", "1Gi"),
            {"resources": {"requests": _GPU, "limits": _GPU}},
            init=[_sizes("1", "2Gi", "1", "2Gi")],
        ),
        {"vcpus": "6", "memory": "8192", "gpus": "1"},
    ),
    "nothing": (target_spec(), {}),
}


@pytest.mark.parametrize(("spec", "expected"), _VECTORS.values(), ids=_VECTORS.keys())
def test_18_needs_become_annotations_and_one_vm(
    webhook: RolledOut, client: Client, namespace: str, spec: Json, expected: Json
) -> None:
    stored = create_pod(client, namespace, spec)

    annotations = stored["metadata"].get("annotations", {})
    assert annotations == {f"{_PREFIX}default_{name}": value for name, value in expected.items()}
    first, *others = stored["spec"]["containers"]
    assert first["resources"] == _ONE_VM
    assert all(each["resources"] == {} for each in [*others, *stored["spec"].get("initContainers", ())])
    assert webhook.apply().is_ready


def test_18_other_pods_are_what_they_are_without_it(client: Client, namespace: str, request: Any) -> None:
    sized = _sizes("1", "1Gi", "2", "2Gi")
    specs = [{**target_spec(sized), "runtimeClassName": "other"}, _without_class(target_spec(sized))]
    before = [create_pod(client, namespace, spec) for spec in specs]

    request.getfixturevalue("webhook")
    after = [create_pod(client, namespace, spec) for spec in specs]

    assert [_comparable(each) for each in after] == [_comparable(each) for each in before]


def test_18_while_it_is_stopped_other_pods_are_admitted_and_its_own_refused(
    webhook: RolledOut, client: Client, namespace: str
) -> None:
    webhook.server.stop(0.0)

    assert create_pod(client, namespace, _without_class(target_spec()))
    assert create_pod(client, namespace, {**target_spec(), "runtimeClassName": "other"})
    with pytest.raises(ApiError, match=r"mwebhook\.peerpods\.io"):
        create_pod(client, namespace, target_spec())
    # What it needs itself is never asked about.
    assert create_pod(client, webhook.namespace, target_spec())


def test_19_what_a_limit_range_fills_in_does_not_count(webhook: RolledOut, client: Client, namespace: str) -> None:
    limits = {"type": "Container", "default": {"cpu": "1"}, "defaultRequest": {"cpu": "500m"}}
    content: Json = {"metadata": {"namespace": namespace, "name": "filled"}, "spec": {"limits": [limits]}}
    client.create(Unstructured(content=content), kind=_LIMIT_RANGE)
    plain = _without_class(target_spec())
    # The API server hears of it a moment later.
    assert wait_until(
        lambda: create_pod(client, namespace, plain)["spec"]["containers"][0]["resources"] != {},
        limit_seconds=LIMIT_SECONDS,
    )
    asked = {"resources": {"requests": {"cpu": "4"}, "limits": {"cpu": "4"}}}

    stored = create_pod(client, namespace, target_spec(asked, {}))

    # Five: the second container asks for nothing, and so for what the LimitRange says.
    assert stored["metadata"]["annotations"][f"{_PREFIX}default_vcpus"] == "5"
    alone = create_pod(client, namespace, target_spec(asked))
    assert alone["metadata"]["annotations"][f"{_PREFIX}default_vcpus"] == "4"
    for pod in (stored, alone):
        first, *others = pod["spec"]["containers"]
        assert first["resources"] == _ONE_VM
        assert all(each["resources"] == {} for each in others)
    assert webhook.apply().is_ready


def test_20_resources_of_the_pod_become_annotations_and_go(webhook: RolledOut, client: Client, namespace: str) -> None:
    whole = {"requests": {"cpu": "3"}, "limits": {"cpu": "3"}}

    stored = create_pod(client, namespace, target_spec(resources=whole))

    assert stored["metadata"]["annotations"] == {f"{_PREFIX}default_vcpus": "3"}
    assert "resources" not in stored["spec"]
    assert stored["spec"]["containers"][0]["resources"] == _ONE_VM
    assert webhook.apply().is_ready


def test_20_a_pod_without_containers_gets_the_words_of_the_api_server(
    webhook: RolledOut, client: Client, namespace: str
) -> None:
    with pytest.raises(Invalid) as refusal:
        create_pod(client, namespace, {**target_spec(), "containers": []})

    assert "spec.containers: Required value" in str(refusal.value)
    assert "webhook" not in str(refusal.value)
    assert webhook.apply().is_ready


def test_an_annotation_of_the_user_and_a_claim_stay(webhook: RolledOut, client: Client, namespace: str) -> None:
    spec = target_spec({"resources": {"requests": {"cpu": "4"}, "claims": [{"name": "dev"}]}})
    spec["resourceClaims"] = [{"name": "dev", "resourceClaimName": "mine"}]

    stored = create_pod(client, namespace, spec, annotations={f"{_PREFIX}default_vcpus": "8"})

    assert stored["metadata"]["annotations"] == {f"{_PREFIX}default_vcpus": "8"}
    assert stored["spec"]["containers"][0]["resources"] == {**_ONE_VM, "claims": [{"name": "dev"}]}
    assert webhook.apply().is_ready


def test_a_settled_roll_out_writes_nothing(webhook: RolledOut) -> None:
    webhook.writes.made.clear()

    webhook.apply()

    assert webhook.writes.made == []


def _without_class(spec: Json) -> Json:
    return {name: value for name, value in spec.items() if name != "runtimeClassName"}


def _comparable(pod: Json) -> Json:
    metadata = {name: value for name, value in pod["metadata"].items() if name not in _OWN}
    return {**pod, "metadata": metadata}
