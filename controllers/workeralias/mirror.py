"""What a canonical object should be, from its alias and from what it is; both as the server sent them."""

from collections.abc import Mapping
from typing import Any

from apis.meta import GroupVersionKind
from controllers.reporting.merge_patch import patch_between
from controllers.workeralias.handed_over import HANDED_OVER, mark_of, with_values_of
from controllers.workers import keys

# kubectl's note of what it applied to the alias; on another object it would speak of the wrong one.
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"
# What controllers and the HTTP API note on the canonical object: a second writer would make them begin again.
_OTHERS = frozenset(
    {
        keys.VERSION_APPLIED,
        keys.UPLOADED_AT,
        keys.DEPLOYMENTS,
        keys.SCRIPT_SETTINGS,
        keys.LAST_IMAGE,
        keys.COMPOSITION,
        keys.APPLIED_SEQUENCE,
        keys.IMAGE_SOURCE,
    }
)
_NOT_COPIED = _OTHERS | {_LAST_APPLIED, keys.MIRRORED}


def handover_to(live: Mapping[str, Any], alias: Mapping[str, Any]) -> dict[str, Any] | None:
    """The merge patch that gives *live* what is handed over, if it was not given these values before.

    Not by an apply: that leaves the items of a list that others put there.
    """
    paths = HANDED_OVER.get(live["kind"], ())
    if not paths or _annotation(live, keys.MIRRORED) == (mark := mark_of(alias["spec"], paths)):
        return None
    wanted = with_values_of(live["spec"], alias["spec"], paths)
    changes = patch_between(live["spec"], {**dict.fromkeys(live["spec"]), **wanted})
    return {"metadata": {"annotations": {keys.MIRRORED: mark}}, "spec": changes}


def mirror_of(alias: Mapping[str, Any], live: Mapping[str, Any] | None, gvk: GroupVersionKind) -> dict[str, Any]:
    """The manifest of the canonical object; *live*, if there is one, has what is handed over."""
    metadata, spec = alias["metadata"], alias["spec"]
    annotations = {name: each for name, each in metadata.get("annotations", {}).items() if name not in _NOT_COPIED}
    wanted = {"name": metadata["name"], "namespace": metadata["namespace"]}
    paths = HANDED_OVER.get(gvk.kind, ())
    if paths:
        annotations[keys.MIRRORED] = mark_of(spec, paths)
    if live is not None:
        spec = with_values_of(spec, live["spec"], paths)
        # What was taken over from it must be of the version that is written.
        wanted["resourceVersion"] = live["metadata"]["resourceVersion"]
    named = {"labels": metadata.get("labels", {}), "annotations": annotations}
    wanted |= {name: each for name, each in named.items() if each}
    return {"apiVersion": gvk.api_version, "kind": gvk.kind, "metadata": wanted, "spec": spec}


def _annotation(content: Mapping[str, Any], name: str) -> str | None:
    found: str | None = content["metadata"].get("annotations", {}).get(name)
    return found
