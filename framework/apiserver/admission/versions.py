"""The object of a request in the versions in which webhooks want to see it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from framework.apiserver.admission.request import AdmissionRequest
from framework.apiserver.objects import Object
from framework.apiserver.resource import Resource

# The other resources that serve the same objects.
Equivalents: TypeAlias = Callable[[Resource], Sequence[Resource]]


class Versioned(NamedTuple):
    object: Object | None
    old_object: Object | None


class VersionedObjects:
    """Converts at most once for each version, as long as the object does not change."""

    def __init__(self, request: AdmissionRequest) -> None:
        self._request = request
        # Invariant: what is in _known is equal but for the version.
        self._known = {request.resource.api_version: Versioned(request.object, request.old_object)}

    @property
    def request(self) -> AdmissionRequest:
        return self._request

    @property
    def current(self) -> Object | None:
        """In whichever version it was left."""
        return next(iter(self._known.values())).object

    def as_served_by(self, resource: Resource) -> Versioned:
        known = self._known.get(resource.api_version)
        if known is None:
            new = self._converted(self.current, resource)
            known = self._known[resource.api_version] = Versioned(
                new, self._converted(self._request.old_object, resource)
            )
        return known

    def replace(self, resource: Resource, obj: Object) -> None:
        """A webhook that sees *resource* has made *obj* of it."""
        self._known = {resource.api_version: Versioned(obj, self.as_served_by(resource).old_object)}

    def _converted(self, obj: Object | None, resource: Resource) -> Object | None:
        # What is written to a subresource may be of a kind of its own, e.g. Scale, which has one version.
        convert = self._request.resource.convert
        if obj is None or convert is None or self._request.kind.kind != resource.kind:
            return obj
        return convert(obj, resource.api_version)
