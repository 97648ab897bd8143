"""Is the owner still there? Asked before something is made for it."""

from apis.meta import KubeObject
from framework.client import Client
from framework.errors import Conflict, NotFound, Status


def check_is_there(client: Client, owner: KubeObject) -> None:
    """Raise Conflict if only a cache still has *owner*.

    What is made for it all the same is collected, missed, and made again, until the cache hears of it.
    """
    try:
        live = client.get(type(owner), owner.key)
    except NotFound:
        live = None
    if live is None or live.metadata.uid != owner.metadata.uid or live.metadata.is_being_deleted:
        raise Conflict(Status(409, "Conflict", f"{owner.key} is gone, or another object by now"))
