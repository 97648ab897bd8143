"""One Instance's objects on its cluster: looked up, and told from those of others."""

from contextlib import suppress
from typing import Self, TypeVar

import msgspec

from apis.apps.v1 import Deployment
from apis.core.v1 import Secret, Service
from apis.laf.instance import Instance, RemoteUids
from apis.meta import Key, KubeObject
from controllers.instance.desired import names_of
from controllers.laf.remote_objects import is_marked, ours
from controllers.laf.remotes import Remote
from controllers.laf.settings import LafSettings
from framework.client import Client
from framework.errors import NotFound

T = TypeVar("T", bound=KubeObject)

# In whose name is written.
NAME = "instance"


class RemotePlace(msgspec.Struct, frozen=True):
    """Reads of one reconcile; the cache tells that nothing is to be done, and whoever writes asks the server first."""

    instance: Instance
    remote: Remote
    client: Client
    hub_id: str

    @classmethod
    def of(cls, instance: Instance, remote: Remote, settings: LafSettings) -> Self:
        client = remote.cluster.client_for(NAME, max_concurrent_requests=settings.share_of_a_cluster)
        return cls(instance, remote, client, settings.hub_id)

    def key_of(self, kind: type[KubeObject]) -> Key:
        secret, deployment, service = names_of(self.instance)
        names: dict[type[KubeObject], str] = {Secret: secret, Deployment: deployment, Service: service}
        return Key(self.instance.metadata.namespace, names[kind])

    def cached(self, kind: type[T]) -> T | None:
        """As the watch has brought it; that of others is not seen."""
        found = self.remote.cluster.informer(kind, ours(self.hub_id)).lister.get(self.key_of(kind))
        return found if found is not None and self.is_ours(found) else None

    def live(self, kind: type[T]) -> T | None:
        """As the server has it now; may be of others."""
        with suppress(NotFound):
            return self.client.get(kind, self.key_of(kind))
        return None

    def is_ours(self, obj: KubeObject) -> bool:
        """By its marks; or by its uid, if somebody has taken the marks off."""
        recorded = self.instance.status.remote_uids or RemoteUids()
        is_known = obj.metadata.uid in (recorded.deployment, recorded.service, recorded.secret)
        return is_known or is_marked(obj, self.hub_id, self.instance.key)
