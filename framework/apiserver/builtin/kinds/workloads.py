"""Deployments, ReplicaSets, StatefulSets and DaemonSets."""

from collections.abc import Sequence
from typing import ClassVar

from framework.apiserver.builtin.strategy import BuiltinStrategy, Selectable, restore
from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import (
    Errors,
    amount_of,
    at_most_all,
    count_or_percent,
    each,
    immutable,
    non_negative,
)
from framework.apiserver.builtin.validation.pods import pod_template
from framework.apiserver.builtin.validation.selectors import is_empty, is_usable, label_selector, matches
from framework.apiserver.builtin.validation.volumes import claim_spec
from framework.apiserver.builtin.warnings import name_warnings, pod_warnings
from framework.apiserver.fields import FieldError, forbidden_field, invalid_value, required, unsupported
from framework.apiserver.objectmeta import NameRule, label_name
from framework.apiserver.objects import Object

_ROLLING, _RECREATE, _ON_DELETE = "RollingUpdate", "Recreate", "OnDelete"
_REPLICAS = ("updatedReplicas", "readyReplicas", "availableReplicas")
_RETENTION = ("Retain", "Delete")
_UPDATABLE_IN_STATEFUL_SET = (
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
)


class _WorkloadStrategy(BuiltinStrategy):
    has_generation = True
    # Whether the names of its pods begin with its own.
    names_pods: ClassVar[bool] = False

    def update_problems(self, new: Object, old: Object) -> Errors:
        return immutable("spec.selector", new["spec"].get("selector"), old["spec"].get("selector"))

    def warnings(self, obj: Object) -> list[str]:
        named = name_warnings(obj, "Pod names and hostnames") if self.names_pods else ()
        return [*named, *pod_warnings("spec.template.spec", obj["spec"]["template"]["spec"])]


class DeploymentStrategy(_WorkloadStrategy):
    names_pods = True

    def differs(self, new: Object, old: Object) -> bool:
        # Annotations are copied to the ReplicaSets, so they are part of what is desired.
        before, after = old["metadata"].get("annotations", {}), new["metadata"].get("annotations", {})
        return super().differs(new, old) or before != after

    def prepare_status_update(self, new: Object, old: Object) -> None:
        super().prepare_status_update(new, old)
        restore(new["metadata"], old["metadata"], "labels")

    def problems(self, obj: Object) -> Errors:
        spec = obj["spec"]
        yield from non_negative(spec, "spec", "replicas")
        yield from selected_template(spec, "deployment", owner="ReplicaSet")
        yield from _deployment_strategy("spec.strategy", spec.get("strategy", {}))
        yield from non_negative(spec, "spec", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds")
        deadline = spec.get("progressDeadlineSeconds")
        if deadline is not None and deadline <= spec.get("minReadySeconds", 0):
            yield invalid_value("spec.progressDeadlineSeconds", deadline, "must be greater than minReadySeconds")

    def status_problems(self, new: Object, old: Object) -> Errors:  # noqa: ARG002 - the old one does not matter
        fields = ("observedGeneration", "replicas", *_REPLICAS, "unavailableReplicas", "terminatingReplicas")
        yield from non_negative(new["status"], "status", *fields, "collisionCount")
        yield from _consistent_counts(new["status"], _REPLICAS)


class ReplicaSetStrategy(_WorkloadStrategy):
    names_pods = True
    selectable: ClassVar[Selectable] = {"status.replicas": lambda obj: str(obj.get("status", {}).get("replicas", 0))}

    def problems(self, obj: Object) -> Errors:
        yield from non_negative(obj["spec"], "spec", "replicas", "minReadySeconds")
        # The real server, too, says "deployment" here.
        yield from selected_template(obj["spec"], "deployment", owner="ReplicaSet")

    def status_problems(self, new: Object, old: Object) -> Errors:  # noqa: ARG002 - the old one does not matter
        fields = ("fullyLabeledReplicas", "readyReplicas", "availableReplicas")
        yield from non_negative(new["status"], "status", "replicas", *fields, "observedGeneration")
        yield from _consistent_counts(new["status"], fields)


def _consistent_counts(status: Object, fields: Sequence[str]) -> Errors:
    for field in fields:
        if status.get(field, 0) > status.get("replicas", 0):
            yield invalid_value(f"status.{field}", status[field], "cannot be greater than status.replicas")
    if status.get("availableReplicas", 0) > status.get("readyReplicas", 0):
        yield invalid_value(
            "status.availableReplicas", status["availableReplicas"], "cannot be greater than readyReplicas"
        )


class DaemonSetStrategy(_WorkloadStrategy):
    judges_update_first = True

    def prepare_for_create(self, obj: Object) -> None:
        super().prepare_for_create(obj)
        annotations = obj["metadata"].setdefault("annotations", {})
        annotations.setdefault(_TEMPLATE_GENERATION, "1")

    def prepare_spec_update(self, new: Object, old: Object) -> None:
        count = int(old["metadata"].get("annotations", {}).get(_TEMPLATE_GENERATION, "0"))
        if new["spec"].get("template") != old["spec"].get("template"):
            count += 1
        new["metadata"].setdefault("annotations", {})[_TEMPLATE_GENERATION] = str(count)

    def problems(self, obj: Object) -> Errors:
        spec = obj["spec"]
        selector, template = spec.get("selector"), spec.get("template", {})
        yield from label_selector("spec.selector", selector)
        yield from _matching_labels(selector, template)
        if selector is not None and is_empty(selector):
            yield invalid_value("spec.selector", selector, "empty selector is invalid for daemonset")
        yield from pod_template("spec.template", template)
        yield from _always_running(template, "DaemonSet")
        yield from non_negative(spec, "spec", "minReadySeconds")
        yield from _daemon_strategy("spec.updateStrategy", spec.get("updateStrategy", {}))
        yield from non_negative(spec, "spec", "revisionHistoryLimit")


_TEMPLATE_GENERATION = "deprecated.daemonset.template.generation"


class StatefulSetStrategy(_WorkloadStrategy):
    def name_rule(self) -> NameRule:
        return label_name

    def validate(self, obj: Object) -> list[FieldError]:
        spec, metadata = obj["spec"], self.metadata_problems(obj)
        claims = [
            error
            for position, claim in enumerate(spec.get("volumeClaimTemplates", ()))
            for error in claim_spec(f"spec.volumeClaimTemplates[{position}].spec", claim.get("spec", {}))
        ]
        service = spec.get("serviceName", "")
        of_service = each("spec.serviceName", service, names.dns_label(service) if service else ())
        return [*metadata, *_rollout_problems(spec), *claims, *_counts(spec), *of_service, *_stateful_template(spec)]

    def problems(self, obj: Object) -> Errors:
        yield from _rollout_problems(obj["spec"])
        yield from _counts(obj["spec"])
        yield from _stateful_template(obj["spec"])

    def update_problems(self, new: Object, old: Object) -> Errors:
        after, before = (
            {field: value for field, value in one["spec"].items() if field not in _UPDATABLE_IN_STATEFUL_SET}
            for one in (new, old)
        )
        if after != before:
            listed = ", ".join(f"'{field}'" for field in _UPDATABLE_IN_STATEFUL_SET[:-1])
            detail = (
                f"updates to statefulset spec for fields other than {listed} "
                f"and '{_UPDATABLE_IN_STATEFUL_SET[-1]}' are forbidden"
            )
            yield forbidden_field("spec", detail)


def _rollout_problems(spec: Object) -> Errors:
    policy = spec.get("podManagementPolicy", "")
    if policy not in {"OrderedReady", "Parallel"}:
        yield invalid_value("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")
    strategy = spec.get("updateStrategy", {})
    rolling = strategy.get("rollingUpdate")
    if strategy.get("type") not in {_ROLLING, _ON_DELETE}:
        yield invalid_value("spec.updateStrategy", strategy, "must be 'RollingUpdate' or 'OnDelete'")
    elif rolling is not None:
        path = "spec.updateStrategy.rollingUpdate"
        if strategy["type"] == _ON_DELETE:
            yield invalid_value(path, rolling, "only allowed for updateStrategy 'RollingUpdate'")
        else:
            yield from _stateful_rolling(path, rolling)
    for field in ("whenDeleted", "whenScaled"):
        value = spec.get("persistentVolumeClaimRetentionPolicy", {}).get(field, "")
        if value not in _RETENTION:
            yield unsupported(f"spec.persistentVolumeClaimRetentionPolicy.{field}", value, _RETENTION)


def _stateful_rolling(path: str, rolling: Object) -> Errors:
    yield from non_negative(rolling, path, "partition")
    if (unavailable := rolling.get("maxUnavailable")) is not None:
        field = f"{path}.maxUnavailable"
        yield from count_or_percent(field, unavailable)
        if amount_of(unavailable) == 0:
            yield invalid_value(field, unavailable, "cannot be 0")
        yield from at_most_all(field, unavailable)


def _counts(spec: Object) -> Errors:
    yield from non_negative(spec, "spec", "replicas", "minReadySeconds")
    yield from non_negative(spec.get("ordinals", {}), "spec.ordinals", "start")


def _stateful_template(spec: Object) -> Errors:
    # Hostname and subdomain are overwritten for each pod, and the claims become its volumes.
    template = dict(spec.get("template", {}))
    pod = {field: value for field, value in template.get("spec", {}).items() if field not in {"hostname", "subdomain"}}
    claimed = [claim.get("metadata", {}).get("name", "") for claim in spec.get("volumeClaimTemplates", ())]
    kept = [volume for volume in pod.get("volumes", ()) if volume.get("name") not in claimed]
    pod["volumes"] = [{"name": name, "persistentVolumeClaim": {"claimName": name}} for name in claimed] + kept
    template["spec"] = pod
    yield from selected_template({**spec, "template": template}, "statefulset", owner="StatefulSet")


def selected_template(spec: Object, kind: str, *, owner: str) -> Errors:
    """A selector that is there, says something, and selects the pods of the template."""
    selector, template = spec.get("selector"), spec.get("template", {})
    if selector is None:
        yield required("spec.selector")
    else:
        yield from label_selector("spec.selector", selector)
        if is_empty(selector):
            yield invalid_value("spec.selector", selector, f"empty selector is invalid for {kind}")
    if not is_usable(selector):
        yield invalid_value("spec.selector", selector, "" if kind == "statefulset" else "invalid label selector")
        return
    # An absent selector selects nothing, so it does not fit, either.
    if selector is None or not is_empty(selector):
        yield from _matching_labels(selector, template)
    yield from pod_template("spec.template", template)
    yield from _always_running(template, owner)


def _matching_labels(selector: Object | None, template: Object) -> Errors:
    found = template.get("metadata", {}).get("labels", {})
    if is_usable(selector) and not matches(selector, found):
        detail = "`selector` does not match template `labels`"
        yield invalid_value("spec.template.metadata.labels", found or None, detail)


def _always_running(template: Object, owner: str) -> Errors:
    spec = template.get("spec", {})
    if spec.get("restartPolicy") != "Always":
        yield unsupported("spec.template.spec.restartPolicy", spec.get("restartPolicy", ""), ["Always"])
    if "activeDeadlineSeconds" in spec:
        detail = f"activeDeadlineSeconds in {owner} is not Supported"
        yield forbidden_field("spec.template.spec.activeDeadlineSeconds", detail)


def _deployment_strategy(path: str, strategy: Object) -> Errors:
    rolling = strategy.get("rollingUpdate")
    if strategy.get("type") == _RECREATE:
        if rolling is not None:
            yield forbidden_field(f"{path}.rollingUpdate", "may not be specified when strategy `type` is 'Recreate'")
    elif strategy.get("type") != _ROLLING or rolling is None:
        yield unsupported(path, strategy, [_RECREATE, _ROLLING])
    else:
        unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
        yield from count_or_percent(f"{path}.rollingUpdate.maxUnavailable", unavailable)
        yield from count_or_percent(f"{path}.rollingUpdate.maxSurge", surge)
        if amount_of(unavailable) == 0 and amount_of(surge) == 0:
            detail = "may not be 0 when `maxSurge` is 0"
            yield invalid_value(f"{path}.rollingUpdate.maxUnavailable", unavailable, detail)
        yield from at_most_all(f"{path}.rollingUpdate.maxUnavailable", unavailable)


def _daemon_strategy(path: str, strategy: Object) -> Errors:
    if strategy.get("type") == _ON_DELETE:
        return
    if strategy.get("type") != _ROLLING:
        yield unsupported(path, strategy, [_ROLLING, _ON_DELETE])
        return
    rolling, here = strategy.get("rollingUpdate", {}), f"{path}.rollingUpdate"
    unavailable, surge = rolling.get("maxUnavailable", 0), rolling.get("maxSurge", 0)
    for check in (count_or_percent, at_most_all):
        yield from check(f"{here}.maxUnavailable", unavailable)
        yield from check(f"{here}.maxSurge", surge)
    if amount_of(unavailable) and amount_of(surge):
        yield invalid_value(f"{here}.maxSurge", surge, "may not be set when maxUnavailable is non-zero")
    elif not amount_of(unavailable) and not amount_of(surge):
        yield required(f"{here}.maxUnavailable", "cannot be 0 when maxSurge is 0")
