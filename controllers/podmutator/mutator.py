"""Answers one AdmissionReview."""

import base64
from collections.abc import Mapping
from typing import Any

import msgspec

from controllers.podmutator.needs import size_annotations
from controllers.podmutator.options import MutatorOptions
from controllers.podmutator.patch import Operation, annotating, asking_for, emptying
from controllers.podmutator.resources import UnusableField, containers_of, pod_level_amounts

PATH = "/mutate-v1-pod"
_API_VERSION, _KIND = "admission.k8s.io/v1", "AdmissionReview"
_POD = {"group": "", "version": "v1", "kind": "Pod"}


class NotAReview(ValueError):
    """There is nothing to answer."""


class PodMutator:
    def __init__(self, options: MutatorOptions | None = None) -> None:
        self._options = options or MutatorOptions()

    def handle(self, review: Mapping[str, Any]) -> dict[str, Any]:
        """The AdmissionReview that answers *review*; raises NotAReview, and nothing else."""
        request = _request_of(review)
        return {
            "apiVersion": _API_VERSION,
            "kind": _KIND,
            "response": {"uid": request["uid"], **self._verdict(request)},
        }

    def _verdict(self, request: Mapping[str, Any]) -> dict[str, Any]:
        kind = request.get("kind") or {}
        if {name: kind.get(name) or "" for name in _POD} != _POD:
            return {"allowed": True, "warnings": [f"only pods become peer pods, not {kind.get('kind') or 'this kind'}"]}
        try:
            operations = self._operations(request)
        except UnusableField as error:
            return {"allowed": False, "status": _unusable(error)}
        if not operations:
            return {"allowed": True}
        patch = base64.b64encode(msgspec.json.encode(operations)).decode()
        return {"allowed": True, "patchType": "JSONPatch", "patch": patch}

    def _operations(self, request: Mapping[str, Any]) -> list[Operation]:
        pod = request.get("object")
        # Resources of a pod that exists cannot be changed here.
        if request.get("operation", "CREATE") != "CREATE" or not isinstance(pod, dict):
            return []
        spec = pod.get("spec")
        if not isinstance(spec, dict) or spec.get("runtimeClassName") not in self._options.runtime_classes:
            return []
        if not spec.get("containers"):
            # The API server has the proper words for that.
            return []
        containers, pod_level = containers_of(spec), pod_level_amounts(spec)
        first, *others = containers
        return [
            *annotating(pod, size_annotations(containers, pod_level, self._options.aggregation)),
            *emptying(spec, others),
            *asking_for(self._options.extended_resource, first),
        ]


def _request_of(review: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(review, dict) or (review.get("apiVersion"), review.get("kind")) != (_API_VERSION, _KIND):
        raise NotAReview(f"the body is no {_KIND} of {_API_VERSION}")
    request = review.get("request")
    if not isinstance(request, dict) or not isinstance(request.get("uid"), str):
        raise NotAReview(f"the {_KIND} has no request with a uid")
    if not isinstance(request.get("kind") or {}, dict):
        raise NotAReview("the kind of the request is not an object")
    return request


def _unusable(error: UnusableField) -> dict[str, Any]:
    causes = [{"reason": "FieldValueInvalid", "field": error.field, "message": str(error)}]
    return {"code": 422, "reason": "Invalid", "message": str(error), "details": {"causes": causes}}
