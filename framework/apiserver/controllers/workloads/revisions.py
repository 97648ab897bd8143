"""The ReplicaSets of a Deployment: which is the new one, and what number each revision has."""

from typing import Any, NamedTuple

import msgspec

from framework.apiserver.controllers.workloads.claiming import controller_reference
from framework.apiserver.controllers.workloads.rolling import Limits
from framework.apiserver.controllers.workloads.template_hash import hash_of
from framework.apiserver.objects import Object

HASH_LABEL = "pod-template-hash"
REVISION = "deployment.kubernetes.io/revision"
_HISTORY = "deployment.kubernetes.io/revision-history"
DESIRED = "deployment.kubernetes.io/desired-replicas"
_MOST = "deployment.kubernetes.io/max-replicas"
_NOT_COPIED = frozenset(
    {
        "kubectl.kubernetes.io/last-applied-configuration",
        "deprecated.deployment.rollback.to",
        REVISION,
        _HISTORY,
        DESIRED,
        _MOST,
    }
)
_LONGEST_NAME = 253
_canonical = msgspec.json.Encoder(order="deterministic").encode


class Revisions(NamedTuple):
    """The ReplicaSet with the template of the Deployment, if there is one, and all others."""

    new: Object | None
    old: list[Object]

    @property
    def all(self) -> list[Object]:
        return [*self.old, *([self.new] if self.new else [])]


def revisions_of(deployment: Object, replica_sets: list[Object]) -> Revisions:
    wanted = _canonical(_without_hash(deployment["spec"]["template"]))
    same = [one for one in replica_sets if _canonical(_without_hash(one["spec"]["template"])) == wanted]
    # Of several equal ones, which cannot be told apart, always the same.
    new = min(same, key=lambda one: (one["metadata"]["creationTimestamp"], one["metadata"]["name"]), default=None)
    return Revisions(new, [one for one in replica_sets if one is not new])


def revision_of(obj: Object) -> int:
    text = (obj["metadata"].get("annotations") or {}).get(REVISION, "0")
    return int(text) if text.isdecimal() else 0


def annotations_for_new(deployment: Object, revisions: Revisions) -> dict[str, str]:
    """The annotations of the new ReplicaSet: those of its Deployment, and its revision."""
    present = {} if revisions.new is None else revisions.new["metadata"].get("annotations") or {}
    given = deployment["metadata"].get("annotations") or {}
    annotations = {**present, **{name: value for name, value in given.items() if name not in _NOT_COPIED}}
    next_revision = max((revision_of(one) for one in revisions.old), default=0) + 1
    before = present.get(REVISION)
    if not (before and before.isdecimal() and int(before) >= next_revision):
        annotations[REVISION] = str(next_revision)
        if before:
            # A rollback: it was known under another number before.
            history = annotations.get(_HISTORY)
            annotations[_HISTORY] = f"{history},{before}" if history else before
    return annotations


def size_annotations(limits: Limits) -> dict[str, str]:
    return {DESIRED: str(limits.replicas), _MOST: str(limits.most)}


def new_replica_set(deployment: Object, annotations: dict[str, str], replicas: int) -> Object:
    # Another one if somebody else already has it.
    collisions = deployment["status"].get("collisionCount", 0)
    template_hash = hash_of(deployment["spec"]["template"], collisions)
    spec, metadata = deployment["spec"], deployment["metadata"]
    template = _with_label(spec["template"], template_hash)
    selector = dict(spec["selector"])
    selector["matchLabels"] = {**(selector.get("matchLabels") or {}), HASH_LABEL: template_hash}
    name = f"{metadata['name'][: _LONGEST_NAME - len(template_hash) - 1]}-{template_hash}"
    made = {
        "name": name,
        "labels": template["metadata"]["labels"],
        "annotations": annotations,
        "ownerReferences": [controller_reference(deployment)],
    }
    wanted = {"replicas": replicas, "selector": selector, "template": template}
    if spec.get("minReadySeconds"):
        wanted["minReadySeconds"] = spec["minReadySeconds"]
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": made, "spec": wanted}


def _with_label(template: Any, template_hash: str) -> Any:
    metadata = template.get("metadata") or {}
    labels = {**(metadata.get("labels") or {}), HASH_LABEL: template_hash}
    return {**template, "metadata": {**metadata, "labels": labels}}


def _without_hash(template: Any) -> Any:
    metadata = template.get("metadata") or {}
    labels = {name: value for name, value in (metadata.get("labels") or {}).items() if name != HASH_LABEL}
    return {**template, "metadata": {**metadata, "labels": labels}}
