"""How our objects on remote clusters are marked, found and told from those of others."""

from collections.abc import Mapping

from apis.apps.v1 import Deployment
from apis.core.v1 import Secret, Service
from apis.meta import Key, KubeObject
from framework.informers import InformerOptions

HUB_ID_LABEL = "laf.dev/hub-id"
INSTANCE_NAMESPACE, INSTANCE_NAME, INSTANCE_UID = (
    "laf.dev/instance-namespace",
    "laf.dev/instance-name",
    "laf.dev/instance-uid",
)
# In the order in which they are made.
REMOTE_KINDS: tuple[type[KubeObject], ...] = (Secret, Deployment, Service)


def ours(hub_id: str) -> InformerOptions:
    """Of the informers of every remote cluster: what this hub has made there."""
    return InformerOptions(labels=f"{HUB_ID_LABEL}={hub_id}", keeps_secret_values=True)


def instance_of(obj: KubeObject) -> Key | None:
    """The Instance that *obj* was made for, by its own word; None if it has none."""
    namespace, name = obj.metadata.annotations.get(INSTANCE_NAMESPACE), obj.metadata.annotations.get(INSTANCE_NAME)
    return Key(namespace, name) if namespace and name else None


def is_marked(obj: KubeObject, hub_id: str, instance: Key) -> bool:
    """Whether *obj* says that it is of *hub_id* and was made for *instance*."""
    return obj.metadata.labels.get(HUB_ID_LABEL) == hub_id and instance_of(obj) == instance


def marks(hub_id: str, instance: Key, uid: str) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """The label and the annotations of everything that is made for *instance*."""
    annotations = {INSTANCE_NAMESPACE: instance.namespace, INSTANCE_NAME: instance.name, INSTANCE_UID: uid}
    return {HUB_ID_LABEL: hub_id}, annotations
