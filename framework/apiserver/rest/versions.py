"""Between the version of a request and the version in storage."""

from framework.apiserver.objects import Object
from framework.apiserver.resource import Resource
from framework.apiserver.storage import Record


def from_storage(resource: Resource, record: Record) -> Object:
    """The stored object in the version of *resource*; a copy of the caller's own."""
    return converted(resource, record.decode())


def converted(resource: Resource, stored: Object) -> Object:
    """A stored object, decoded by the caller, in the version of *resource*."""
    if resource.convert is None or stored.get("apiVersion") == resource.api_version:
        return stored
    return resource.convert(stored, resource.api_version)


def to_storage(resource: Resource, obj: Object) -> Object:
    """*obj* in the storage version, its head in the order in which it is kept."""
    if resource.convert is not None and resource.api_version != resource.storage_api_version:
        obj = resource.convert(obj, resource.storage_api_version)
    head = {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": obj["metadata"]}
    return head | obj
