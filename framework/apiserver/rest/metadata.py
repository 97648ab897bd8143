"""The parts of metadata that the server alone decides."""

from typing import Any

import msgspec

from framework.apiserver.objects import Object
from framework.apiserver.resource import Resource
from framework.apiserver.rest.context import Context, Services
from framework.apiserver.status import bad_request
from framework.errors import ApiError

# The suffix of a generated name: no vowels, nothing that looks like something else.
_ALPHABET = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH, _LONGEST_BASE = 5, 58
_canonical = msgspec.json.Encoder(order="deterministic").encode


def wipe_system_fields(metadata: dict[str, Any]) -> None:
    """What a client says about its own deletion or creation does not count."""
    for name in ("deletionTimestamp", "deletionGracePeriodSeconds", "selfLink"):
        metadata.pop(name, None)


def fill_system_fields(services: Services, metadata: dict[str, Any]) -> None:
    metadata["creationTimestamp"] = services.now()
    metadata["uid"] = services.new_uid()


def generated_name(services: Services, base: str) -> str:
    suffix = ""
    for _ in range(_SUFFIX_LENGTH):
        suffix += _ALPHABET[int(services.random.random() * len(_ALPHABET))]
    return base[:_LONGEST_BASE] + suffix


def ensure_namespace(resource: Resource, namespace: str, metadata: dict[str, Any]) -> None:
    """Put the namespace of the request into the object; BadRequest if it names another."""
    own = metadata.get("namespace") or ""
    if resource.is_namespaced:
        if own and own != namespace:
            raise bad_request("the namespace of the provided object does not match the namespace sent on the request")
        metadata["namespace"] = namespace
    else:
        metadata.pop("namespace", None)


def nameless(context: Context) -> ApiError:
    expected = context.info.name
    return bad_request(f"the name of the object ({expected} based on URL) was undeterminable: name must be provided")


def complete(resource: Resource, obj: Object) -> bool:
    """Make of *obj* what a reader gets: the real server does so with custom resources at each read.

    Return whether it was that already.
    """
    if not resource.is_custom:
        return True
    before = msgspec.json.encode(obj)
    metadata = obj["metadata"]
    for name in ("labels", "annotations", "finalizers", "ownerReferences"):
        if name in metadata and not metadata[name]:
            del metadata[name]
    resource.strategy.default(obj)
    return msgspec.json.encode(obj) == before


def ensure_name(context: Context, obj: Object) -> None:
    """A PUT or patch cannot rename."""
    name = obj["metadata"].get("name") or ""
    expected = context.info.name
    if not name:
        raise nameless(context)
    if name != expected:
        raise bad_request(f"the name of the object ({name}) does not match the name on the URL ({expected})")


def drop_repeated_owners(context: Context, obj: Object, *, is_admitted: bool = False) -> None:
    """A body is looked at before and after mutating admission; what a patch makes, only after it."""
    owners = obj["metadata"].get("ownerReferences")
    if not isinstance(owners, list):
        return
    unique: dict[bytes, Any] = {}
    # By their bytes: to compare each with each would take for ever.
    repeated = [
        str(owner.get("uid", "")) for owner in owners if unique.setdefault(_canonical(owner), owner) is not owner
    ]
    if repeated:
        obj["metadata"]["ownerReferences"] = list(unique.values())
        moment = " after mutating admission happens" if is_admitted else ""
        context.warnings.append(
            f".metadata.ownerReferences contains duplicate entries{moment}; API server dedups owner references in "
            "1.20+, and may reject such requests as early as 1.24; please fix your requests; "
            f"duplicate UID(s) observed: {', '.join(repeated)}"
        )
