"""Pods that become peer pods on their way through a webhook, which may be away when it is asked."""

import base64
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from apis.core.v1 import Pod
from apis.meta import Key, Unstructured, resource_type_of
from controllers.podmutator.mutator import PodMutator
from framework.apiserver.patch.json_patch import json_patch
from framework.errors import AlreadyExists, ApiError
from framework.manager import Manager, ManagerOptions
from framework.testing.simulation import Scenario, User
from framework.webhooks import AdmissionRequest, WebhookOptions

NAMESPACE = "default"
PODS = resource_type_of(Pod)
OPTIONS = ManagerOptions(webhooks=WebhookOptions(name="peer-pods", url="https://peer-pods.example"))
_HYPERVISOR = "io.katacontainers.config.hypervisor"
_VM = {"kata.peerpods.io/vm": "1"}
# What a LimitRange of the namespace gives to a container that says nothing.
_DEFAULTS = {"requests": {"cpu": "500m"}, "limits": {"cpu": "1"}}
# By the name of the pod: its spec, and the size that its VM gets.
_WISHES: Mapping[str, dict[str, Any]] = {
    "large": {"containers": [{"resources": {"requests": {"cpu": "3", "memory": "1Gi"}}}, {"resources": _DEFAULTS}]},
    "as-a-whole": {"resources": {"requests": {"cpu": "3"}}, "containers": [{}]},
    "with-gpus": {"containers": [{"resources": {"limits": {"nvidia.com/gpu": "1k"}}}]},
}
_SIZES = {
    "large": {f"{_HYPERVISOR}.default_vcpus": "4", f"{_HYPERVISOR}.default_memory": "1024"},
    "as-a-whole": {f"{_HYPERVISOR}.default_vcpus": "3"},
    # Its CPU is that of the LimitRange.
    "with-gpus": {f"{_HYPERVISOR}.default_gpus": "1000", f"{_HYPERVISOR}.default_vcpus": "1"},
}


def peer_pod_reviews(_folder: Path) -> Scenario:
    return Scenario({"controller": _register}, _workload, options=OPTIONS, depends_on_when=True)


def _register(manager: Manager) -> None:
    mutator = PodMutator()

    def review(request: AdmissionRequest[Unstructured]) -> Unstructured:
        """Twice, with a LimitRange between, as the API server asks who wants to be asked again."""
        once = _reviewed(mutator, request.object.content)
        content = _reviewed(mutator, _filled_in(once))
        return Unstructured(metadata=request.object.metadata, content=content)

    manager.webhooks.mutate(PODS, review)


def _workload(user: User) -> None:
    # The webhook is there before anything that it is asked about.
    user.wait_until_quiet()
    for name in _WISHES:
        user.wait_until(lambda name=name: _is_made(user, name))  # type: ignore[misc] # mypy cannot infer a lambda with a default
        found: Unstructured = user.client.get(PODS, Key(NAMESPACE, name))
        spec, annotations = found.content["spec"], found.content["metadata"].get("annotations", {})
        assert annotations == _SIZES[name], f"{name} is told to be {annotations}"
        first, *others = (each.get("resources", {}) for each in spec["containers"])
        assert first == {"requests": _VM, "limits": _VM}, f"{name} asks for {first}"
        assert not any(others), f"{name} asks for {others}"
        assert "resources" not in spec, f"{name} asks for {spec.get('resources')} as a whole"
        assert spec["hostname"] == name, f"{name} has lost what nobody asked about"


def _is_made(user: User, name: str) -> bool:
    """Refused while nobody can be asked."""
    wishes = _WISHES[name]
    containers = [{"name": f"c{n}", "image": "app:1", **each} for n, each in enumerate(wishes["containers"])]
    spec = {**wishes, "containers": containers, "runtimeClassName": "kata-remote", "hostname": name}
    content = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec}
    try:
        user.client.create(Unstructured(content=content), kind=PODS)
    except AlreadyExists:
        return True
    except ApiError:
        return False
    return True


def _reviewed(mutator: PodMutator, pod: Mapping[str, Any]) -> dict[str, Any]:
    kind = {"group": "", "version": "v1", "kind": "Pod"}
    request = {"uid": "1", "kind": kind, "operation": "CREATE", "object": dict(pod)}
    review = {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}
    response = mutator.handle(review)["response"]
    operations = msgspec.json.decode(base64.b64decode(response.get("patch", "W10=")))
    return json_patch(dict(pod), operations)


def _filled_in(pod: dict[str, Any]) -> dict[str, Any]:
    containers = [_with_defaults(each) for each in pod["spec"]["containers"]]
    return {**pod, "spec": {**pod["spec"], "containers": containers}}


def _with_defaults(container: dict[str, Any]) -> dict[str, Any]:
    resources = container.get("resources", {})
    return {**container, "resources": {name: {**_DEFAULTS[name], **resources.get(name, {})} for name in _DEFAULTS}}
