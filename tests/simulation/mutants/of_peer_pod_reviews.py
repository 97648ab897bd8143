"""Mutants of the webhook of peer pods: defects of upstream's."""

from collections.abc import Mapping, Sequence
from typing import Any

from controllers.podmutator import mutator
from controllers.podmutator.mutator import PodMutator
from controllers.podmutator.needs import GPUS, size_annotations
from controllers.podmutator.options import Aggregation
from controllers.podmutator.patch import Operation, annotating, emptying
from controllers.podmutator.resources import Amounts, Container
from tests.simulation.mutants.mutant import Mutant
from tests.simulation.peer_pod_reviews import peer_pod_reviews

_KNOWN = ("containers", "initContainers", "runtimeClassName", "resources")
_operations = PodMutator._operations


def _known_fields_alone(self: PodMutator, request: Mapping[str, Any]) -> list[Operation]:
    spec = request["object"]["spec"]
    known = {name: value for name, value in spec.items() if name in _KNOWN}
    return [{"op": "replace", "path": "/spec", "value": known}, *_operations(self, request)]


def _over_what_is_there(pod: Mapping[str, Any], annotations: Mapping[str, str]) -> list[Operation]:
    metadata = {name: value for name, value in pod["metadata"].items() if name != "annotations"}
    return annotating({"metadata": metadata}, annotations)


def _containers_alone(_spec: Mapping[str, Any], containers: Sequence[Container]) -> list[Operation]:
    return emptying({}, containers)


def _gpus_as_a_quantity(
    containers: Sequence[Container], pod_level: Amounts, aggregation: Aggregation
) -> Mapping[str, str]:
    sizes = size_annotations(containers, pod_level, aggregation)
    return {name: size.replace("000", "k") if name == GPUS else size for name, size in sizes.items()}


MUTANTS = (
    Mutant(
        "known-fields-alone",
        "what the webhook has never heard of is gone from the pod",
        peer_pod_reviews,
        [(PodMutator, "_operations", _known_fields_alone)],
        known_from="peer pods, 29",
    ),
    Mutant(
        "sizes-written-over",
        "what a LimitRange fills in counts as the size of the VM when the webhook is asked again",
        peer_pod_reviews,
        [(mutator, "annotating", _over_what_is_there)],
        known_from="peer pods, 30",
    ),
    Mutant(
        "needs-of-the-pod-stay",
        "resources of the pod as a whole are still asked of the node",
        peer_pod_reviews,
        [(mutator, "emptying", _containers_alone)],
        known_from="peer pods, 32",
    ),
    Mutant(
        "gpus-as-a-quantity",
        "a thousand GPUs are told as 1k",
        peer_pod_reviews,
        [(mutator, "size_annotations", _gpus_as_a_quantity)],
        known_from="peer pods, 34",
    ),
)
