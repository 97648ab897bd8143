"""Reviews of pods, and what a pod becomes by the answer."""

import base64
from typing import Any

import msgspec

from controllers.podmutator import MutatorOptions, PodMutator
from framework.apiserver.patch import json_patch

VCPUS = "io.katacontainers.config.hypervisor.default_vcpus"
MEMORY = "io.katacontainers.config.hypervisor.default_memory"
GPUS = "io.katacontainers.config.hypervisor.default_gpus"
ONE_VM = {"kata.peerpods.io/vm": "1"}
Json = dict[str, Any]


def container(requests: Json | None = None, limits: Json | None = None, **fields: Any) -> Json:
    given = {"requests": requests, "limits": limits}
    resources = {name: value for name, value in given.items() if value is not None}
    return {"name": "c", "image": "i", "resources": resources, **fields}


def pod(*containers: Json, init: tuple[Json, ...] = (), runtime_class: str = "kata-remote", **spec: Any) -> Json:
    whole: Json = {"runtimeClassName": runtime_class, "containers": list(containers), **spec}
    if init:
        whole["initContainers"] = list(init)
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", "namespace": "n"}, "spec": whole}


def review(obj: Json | None, **fields: Any) -> Json:
    request = {
        "uid": "u-1",
        "kind": {"group": "", "version": "v1", "kind": "Pod"},
        "operation": "CREATE",
        "object": obj,
        **fields,
    }
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}


def response(obj: Json, options: MutatorOptions | None = None, **fields: Any) -> Json:
    answered: Json = PodMutator(options).handle(review(obj, **fields))
    assert (answered["apiVersion"], answered["kind"]) == ("admission.k8s.io/v1", "AdmissionReview")
    found: Json = answered["response"]
    assert found["uid"] == "u-1"
    return found


def operations(obj: Json, options: MutatorOptions | None = None) -> list[Json]:
    found = response(obj, options)
    assert found["allowed"] is True
    if "patch" not in found:
        return []
    assert found["patchType"] == "JSONPatch"
    decoded: list[Json] = msgspec.json.decode(base64.b64decode(found["patch"]))
    assert decoded, "an empty patch is none"
    return decoded


def mutated(obj: Json, options: MutatorOptions | None = None) -> Json:
    return dict(json_patch(obj, operations(obj, options)))


def annotations(obj: Json, options: MutatorOptions | None = None) -> tuple[str | None, str | None, str | None]:
    """vCPUs, memory and GPUs of what *obj* becomes."""
    found = mutated(obj, options)["metadata"].get("annotations", {})
    return found.get(VCPUS), found.get(MEMORY), found.get(GPUS)
