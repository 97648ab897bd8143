"""Takes an Instance's objects off its cluster."""

from apis.apps.v1 import Deployment
from apis.core.v1 import Secret, Service
from apis.meta import KubeObject
from controllers.instance.remote_place import RemotePlace
from framework.errors import NotFound

# What is used by another goes after it.
_KINDS: tuple[type[KubeObject], ...] = (Deployment, Service, Secret)


def take_down(place: RemotePlace) -> list[str]:
    """What is still there although it was told to go, in words; empty: the server confirms that all is gone."""
    left = (_take(place, kind) for kind in _KINDS)
    return [what for what in left if what]


def _take(place: RemotePlace, kind: type[KubeObject]) -> str:
    live = place.live(kind)
    if live is None or not place.is_ours(live):
        return ""
    if not live.metadata.is_being_deleted:
        try:
            place.client.delete(kind, live.key, uid=live.metadata.uid, propagation="Background")
        except NotFound:
            return ""
        live = place.live(kind)
    is_gone = live is None or not place.is_ours(live)
    return "" if is_gone else f"{kind.__name__} {place.key_of(kind).name}"
