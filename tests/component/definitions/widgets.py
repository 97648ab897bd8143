"""A kind that a test defines, changes and deletes."""

import uuid
from typing import Any

from apis.meta import GroupVersionKind, Key, ResourceType, Unstructured
from framework.client import Client
from framework.errors import MethodNotAllowed, NotFound
from framework.informers import DEFINITIONS
from framework.testing.control_plane.waiting import wait_until

LIMIT_SECONDS = 30.0


class Widgets:
    """Each test has a group of its own."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.group = f"g{uuid.uuid4().hex[:8]}.example.com"
        self.kind = ResourceType(GroupVersionKind(self.group, "v1", "Widget"), "widgets")
        self.name = f"widgets.{self.group}"

    def define(self, *, fields: tuple[str, ...] = ("size",), served: tuple[str, ...] = ("v1",)) -> None:
        """Define the kind, or change its definition; v1 and v2 exist, v2 is what is stored."""
        self._client.apply(DEFINITIONS, self._definition(fields, served))

    def undefine(self) -> None:
        self._client.delete(DEFINITIONS, Key("", self.name))

    def create(self, name: str, **spec: Any) -> None:
        """As soon as the server accepts it."""
        content = {"metadata": {"name": name, "namespace": "default"}, "spec": spec}
        assert wait_until(lambda: self._try_to_create(content), limit_seconds=LIMIT_SECONDS)

    def is_served(self) -> bool:
        try:
            self._client.list(self.kind, "default")
        except NotFound:
            return False
        return True

    def _try_to_create(self, content: dict[str, Any]) -> bool:
        try:
            self._client.create(Unstructured(content=content), kind=self.kind)
        except (NotFound, MethodNotAllowed):
            return False
        return True

    def _definition(self, fields: tuple[str, ...], served: tuple[str, ...]) -> dict[str, Any]:
        properties = {field: {"type": "integer"} for field in fields}
        schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
        versions = [
            {
                "name": version,
                "served": version in served,
                "storage": version == "v2",
                "schema": {"openAPIV3Schema": schema},
            }
            for version in ("v1", "v2")
        ]
        names = {"plural": "widgets", "singular": "widget", "kind": "Widget", "listKind": "WidgetList"}
        return {
            "metadata": {"name": self.name},
            "spec": {"group": self.group, "scope": "Namespaced", "names": names, "versions": versions},
        }
