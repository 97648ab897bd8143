"""What the server fills in, by the type that has the field.

Guarantees: a hook runs on every struct of its type, parents before children, and changes only what is absent.
Not guaranteed: that the structs around it are there, unless the schema makes them.
"""

from collections.abc import Callable, Mapping

from framework.apiserver.builtin.defaults.batch import BATCH_DEFAULTS
from framework.apiserver.builtin.defaults.containers import CONTAINER_DEFAULTS
from framework.apiserver.builtin.defaults.networking import NETWORKING_DEFAULTS
from framework.apiserver.builtin.defaults.objects import OBJECT_DEFAULTS
from framework.apiserver.builtin.defaults.pods import POD_DEFAULTS
from framework.apiserver.builtin.defaults.services import SERVICE_DEFAULTS
from framework.apiserver.builtin.defaults.volumes import VOLUME_DEFAULTS
from framework.apiserver.builtin.defaults.webhooks import WEBHOOK_DEFAULTS
from framework.apiserver.builtin.defaults.workloads import WORKLOAD_DEFAULTS
from framework.apiserver.objects import Object

_BY_SHORT_NAME: Mapping[str, Callable[[Object], None]] = {
    **BATCH_DEFAULTS,
    **CONTAINER_DEFAULTS,
    **NETWORKING_DEFAULTS,
    **OBJECT_DEFAULTS,
    **POD_DEFAULTS,
    **SERVICE_DEFAULTS,
    **VOLUME_DEFAULTS,
    **WEBHOOK_DEFAULTS,
    **WORKLOAD_DEFAULTS,
}
# By the name of the definition, e.g. `io.k8s.api.core.v1.Container`.
DEFAULTS: Mapping[str, Callable[[Object], None]] = {f"io.k8s.api.{name}": hook for name, hook in _BY_SHORT_NAME.items()}

__all__ = ["DEFAULTS"]
