"""The pods of a bundle, as far as it matters whether there are any."""

from collections.abc import Iterable

from apis.cfworker.workerbundle import WorkerBundle
from apis.meta import KubeObject, PartialObject
from controllers.workers.keys import BUNDLE
from controllers.workers.names import label_value
from framework.listers import Lister

POD_INDEX = "workerbundle/pods"


def bundle_labels(pod: KubeObject) -> Iterable[str]:
    """The index function of `POD_INDEX`."""
    name = pod.metadata.labels.get(BUNDLE)
    return [f"{pod.metadata.namespace}/{name}"] if name else []


class LabelledPods:
    def __init__(self, pods: Lister[PartialObject]) -> None:
        self._pods = pods

    def has_any(self, bundle: WorkerBundle) -> bool:
        filed = f"{bundle.metadata.namespace}/{label_value(bundle.metadata.name)}"
        return bool(self._pods.by_index(POD_INDEX, filed))
