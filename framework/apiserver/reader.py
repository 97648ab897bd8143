"""The view of storage that authorization, admission and the built-in controllers have."""

from collections.abc import Iterable
from typing import Protocol

from framework.apiserver.objects import GroupResource, Object


class ObjectReader(Protocol):
    """Reads what is committed now. The objects are shared: copy before changing."""

    def get(self, resource: GroupResource, namespace: str, name: str) -> Object | None: ...

    def list(self, resource: GroupResource, namespace: str = "") -> Iterable[Object]:
        """All objects, of one namespace if one is given, by namespace and name."""

    def revision_of(self, resource: GroupResource) -> int:
        """The revision of the last change to any object of *resource*; equal values mean nothing has changed."""
