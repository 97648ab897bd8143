"""What happens to a definition when its deletion is first asked for."""

from framework.apiserver.definitions.conditions import set_condition
from framework.apiserver.objects import Object

CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io"


def mark_definition_deleted(crd: Object, now: str) -> None:
    """Instances go first: the finalizer stays until they are gone."""
    finalizers = crd["metadata"].setdefault("finalizers", [])
    if CLEANUP_FINALIZER not in finalizers:
        finalizers.append(CLEANUP_FINALIZER)
    message = "CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon"
    set_condition(crd, "Terminating", "True", "InstanceDeletionPending", message, now=now)
