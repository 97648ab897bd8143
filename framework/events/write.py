"""One write of one event."""

from typing import Any, Literal

import msgspec

from apis.meta import Key, ObjectMeta, ResourceType, Unstructured
from framework.client import Client
from framework.errors import NotFound
from framework.events.event_api import EventApi
from framework.events.series import Series

Written = Literal["created", "patched"]


class Write(msgspec.Struct, frozen=True):
    """A series as it is at one moment, in the words of the server."""

    resource_type: ResourceType
    key: Key
    content: dict[str, Any]
    # None: the server knows nothing of the event.
    patch: dict[str, Any] | None
    count: int

    @classmethod
    def of(cls, series: Series, api: EventApi) -> "Write":
        patch = api.patch(series) if series.written_count else None
        key = Key(series.namespace, series.name)
        return cls(api.resource_type, key, api.content(series), patch, series.count)

    def send(self, client: Client) -> Written:
        if self.patch is not None:
            try:
                client.merge_patch(self.resource_type, self.key, self.patch)
            except NotFound:
                # The server forgets events after an hour, and people delete them.
                pass
            else:
                return "patched"
        metadata = ObjectMeta(name=self.key.name, namespace=self.key.namespace)
        client.create(Unstructured(metadata=metadata, content=self.content), kind=self.resource_type)
        return "created"
