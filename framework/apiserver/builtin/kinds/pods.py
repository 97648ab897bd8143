"""Pods."""

from typing import ClassVar

from framework.apiserver.builtin.quality_of_service import quality_of_service
from framework.apiserver.builtin.strategy import BuiltinStrategy, Selectable, restore, text_at
from framework.apiserver.builtin.validation.checks import Errors, immutable
from framework.apiserver.builtin.validation.pod_updates import pod_update
from framework.apiserver.builtin.validation.pods import pod_spec
from framework.apiserver.builtin.warnings import name_warnings, pod_warnings
from framework.apiserver.fields import forbidden_field, invalid_value
from framework.apiserver.objects import Object
from framework.apiserver.status import not_implemented

_UNSUPPORTED = {"ephemeralcontainers", "resize"}
_ENDED = {"Succeeded", "Failed"}


class PodStrategy(BuiltinStrategy):
    has_generation = True
    rechecks_metadata = True
    selectable: ClassVar[Selectable] = {
        "spec.nodeName": text_at("spec", "nodeName"),
        "spec.restartPolicy": text_at("spec", "restartPolicy"),
        "spec.schedulerName": text_at("spec", "schedulerName"),
        "spec.serviceAccountName": text_at("spec", "serviceAccountName"),
        "spec.hostNetwork": lambda pod: str(pod["spec"].get("hostNetwork", False)).lower(),
        "status.phase": text_at("status", "phase"),
        "status.podIP": text_at("status", "podIP"),
        "status.nominatedNodeName": text_at("status", "nominatedNodeName"),
    }

    def grace_seconds(self, obj: Object, requested: int | None) -> int | None:
        # Where no kubelet will confirm it there is nothing to wait for.
        spec = obj["spec"]
        if not spec.get("nodeName") or obj.get("status", {}).get("phase") in _ENDED:
            return 0
        seconds = spec.get("terminationGracePeriodSeconds", 0) if requested is None else requested
        return int(seconds) if seconds >= 0 else 1

    def prepare_for_create(self, obj: Object) -> None:
        super().prepare_for_create(obj)
        status: Object = {"phase": "Pending", "qosClass": quality_of_service(obj["spec"])}
        if obj["spec"].get("schedulingGates"):
            status["conditions"] = [_gated(obj["metadata"].get("creationTimestamp"))]
        obj["status"] = self.filled("status", status)

    def prepare_for_update(self, new: Object, old: Object, subresource: str) -> None:
        if subresource in _UNSUPPORTED:
            raise not_implemented(f"pods/{subresource}")
        super().prepare_for_update(new, old, subresource)

    def prepare_spec_update(self, new: Object, old: Object) -> None:
        if "ephemeralContainers" in old["spec"]:
            new["spec"]["ephemeralContainers"] = old["spec"]["ephemeralContainers"]

    def prepare_status_update(self, new: Object, old: Object) -> None:
        super().prepare_status_update(new, old)
        # Old kubelets damaged the references, and collections with them.
        restore(new["metadata"], old["metadata"], "ownerReferences")
        if not new["status"].get("qosClass"):
            restore(new["status"], old.get("status", {}), "qosClass")

    def problems(self, obj: Object) -> Errors:
        spec = obj["spec"]
        yield from pod_spec("spec", spec, is_pod=True)
        for field in ("containers", "initContainers"):
            for position, container in enumerate(spec.get(field) or ()):
                image = container.get("image", "")
                if image != image.strip():
                    detail = "must not have leading or trailing whitespace"
                    yield invalid_value(f"spec.{field}[{position}].image", image, detail)

    def create_problems(self, obj: Object) -> Errors:
        spec = obj["spec"]
        if spec.get("ephemeralContainers"):
            yield forbidden_field("spec.ephemeralContainers", "cannot be set on create")
        if spec.get("nodeName") and spec.get("schedulingGates"):
            detail = "cannot be set until all schedulingGates have been cleared"
            yield forbidden_field("spec.nodeName", detail)

    def update_problems(self, new: Object, old: Object) -> Errors:
        return pod_update(new["spec"], old["spec"])

    def status_problems(self, new: Object, old: Object) -> Errors:
        after, before = new["status"], old.get("status", {})
        yield from immutable("status.qosClass", after.get("qosClass", ""), before.get("qosClass", ""))

    def warnings(self, obj: Object) -> list[str]:
        return [*name_warnings(obj, "the Pod's hostname"), *pod_warnings("spec", obj["spec"])]


def _gated(now: str | None) -> Object:
    return {
        "type": "PodScheduled",
        "status": "False",
        "lastTransitionTime": now,
        "reason": "SchedulingGated",
        "message": "Scheduling is blocked due to non-empty scheduling gates",
    }
