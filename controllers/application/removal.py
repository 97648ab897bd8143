"""Deletes what an Application has made, and knows when it is gone."""

from contextlib import suppress
from enum import Enum
from typing import TypeVar

from apis.laf.application import Application
from apis.meta import Key, KubeObject
from framework.client import Client, Kind
from framework.errors import NotFound

T = TypeVar("T", bound=KubeObject)


class Removal(Enum):
    GONE = "gone"
    NOT_OURS = "not ours"
    LEAVING = "leaving"


def is_ours(obj: KubeObject, application: Application) -> bool:
    """Whether *application* controls it: this one, and not an earlier one of the same name."""
    owner = obj.metadata.controller_owner
    return owner is not None and owner.uid == application.metadata.uid


def remove_ours(client: Client, kind: Kind[T], key: Key, cached: T | None, application: Application) -> Removal:
    """The server itself says that it is gone. It is not asked while the cache shows it on its way."""
    if cached is not None and is_ours(cached, application) and cached.metadata.is_being_deleted:
        return Removal.LEAVING
    while True:
        try:
            live = client.get(kind, key)
        except NotFound:
            return Removal.GONE
        if not is_ours(live, application):
            return Removal.NOT_OURS
        if live.metadata.is_being_deleted:
            return Removal.LEAVING
        with suppress(NotFound):
            client.delete(kind, key, uid=live.metadata.uid)
