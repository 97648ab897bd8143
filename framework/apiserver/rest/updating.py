"""Whatever turns a stored object into another: PUT and all patches, of the object or of a subresource."""

from collections.abc import Callable

import msgspec

from framework.apiserver.admission import AdmissionRequest
from framework.apiserver.fields import invalid_value
from framework.apiserver.managedfields import keep_times_if_unchanged
from framework.apiserver.objectmeta import validate_update
from framework.apiserver.objects import GroupKind, Object
from framework.apiserver.rest.context import Context
from framework.apiserver.rest.creating import admit_and_store
from framework.apiserver.rest.decoding import decode_object
from framework.apiserver.rest.go_numbers import NotNumericError, uint64
from framework.apiserver.rest.metadata import complete, drop_repeated_owners, ensure_name, ensure_namespace
from framework.apiserver.rest.options import WriteOptions, reviewed_options, write_options
from framework.apiserver.rest.versions import from_storage, to_storage
from framework.apiserver.status import conflict, failure, invalid, not_found
from framework.apiserver.storage import Record, Stale

# From the stored object, which is None if there is none, to the one that is wanted. May change what it is given.
Transform = Callable[[Object | None], Object]
CHANGED = "the object has been modified; please apply your changes to the latest version and try again"

_canonical = msgspec.json.Encoder(order="deterministic").encode
_decode = msgspec.json.decode


def put(context: Context) -> tuple[Object, bool]:
    """Answer a PUT; whether it created the object."""
    options = write_options(context.query, "UpdateOptions")
    body = decode_object(context, options)
    ensure_name(context, body)
    ensure_namespace(context.resource, context.namespace, body["metadata"])
    drop_repeated_owners(context, body)
    encoded = msgspec.json.encode(body)

    def transform(live: Object | None) -> Object:
        # A retry must not see what an attempt has changed.
        wanted: Object = _decode(encoded)
        _check_uid_of_put(context, wanted, live)
        context.resource.field_manager.update(live, wanted, context.manager, context.services.now())
        return wanted

    return update(context, transform, options)


def update(
    context: Context,
    transform: Transform,
    options: WriteOptions,
    *,
    may_create: bool = False,
    scales: bool = False,
) -> tuple[Object, bool]:
    """Transform the object until nobody came in between; whether it had to be created.

    A write that *scales* goes through a subresource, but changes what is desired.
    """
    while True:
        record = context.table.get(context.key)
        if record is None:
            # Only a kind that is created by any update is created by one of its status.
            may_create = may_create and not context.info.subresource
            if not may_create and not context.resource.strategy.allows_create_on_update:
                raise not_found(context.resource.group_resource, context.info.name)
            return _create(context, transform, options), True
        try:
            return _update(context, record, transform, options, "" if scales else context.info.subresource), False
        except Stale:
            continue


def _create(context: Context, transform: Transform, options: WriteOptions) -> Object:
    obj = transform(None)
    parsed_version(obj)
    return admit_and_store(context, obj, options)


def _update(context: Context, record: Record, transform: Transform, options: WriteOptions, subresource: str) -> Object:
    resource = context.resource
    old = from_storage(resource, record)
    new = transform(from_storage(resource, record))
    request = _admission_request(context, new, old, options)
    admitted = context.services.admission.mutate(request)
    new = new if admitted is None else admitted
    drop_repeated_owners(context, new, is_admitted=True)
    _check_version(context, record, new)
    _restore_metadata(new, old)
    ensure_namespace(resource, context.namespace, new["metadata"])
    resource.strategy.prepare_for_update(new, old, subresource)
    _restore_identity(new, old)
    errors = [
        *validate_update(new, old, is_namespaced=resource.is_namespaced),
        *resource.strategy.validate_update(new, old, subresource),
    ]
    if errors:
        raise invalid(resource.kind_of(new), context.info.name, errors)
    keep_times_if_unchanged(new, old)
    if not subresource:
        context.warnings.extend(resource.strategy.update_warnings(new, old))
    context.services.admission.validate(_admission_request(context, new, old, options))
    return _commit(context, record, new, old, options)


def _commit(context: Context, record: Record, new: Object, old: Object, options: WriteOptions) -> Object:
    storage, resource = context.services.storage, context.resource
    if "deletionTimestamp" in old["metadata"] and _is_released(context, new, old):
        if not options.is_dry_run:
            storage.delete(resource.storage, record.key, record)
        return new
    new["metadata"].pop("selfLink", None)
    if record.is_complete and new == old and _canonical(new) == _canonical(old):
        return old
    is_complete = complete(resource, new)
    if options.is_dry_run:
        return new
    written = storage.write(resource.storage, record.key, record, to_storage(resource, new), is_complete=is_complete)
    return from_storage(resource, written)


def _is_released(context: Context, new: Object, old: Object) -> bool:
    return not context.resource.is_held(new) and not old["metadata"].get("deletionGracePeriodSeconds")


def parsed_version(obj: Object) -> int:
    """The resourceVersion that *obj* carries; 0 if it has none."""
    version = obj["metadata"].get("resourceVersion") or "0"
    try:
        return uint64(version)
    except NotNumericError as error:
        raise failure(str(error)) from None


def _check_version(context: Context, record: Record, new: Object) -> None:
    resource = context.resource
    version = parsed_version(new)
    if not version:
        if not resource.strategy.allows_unconditional_update:
            error = invalid_value("metadata.resourceVersion", 0, "must be specified for an update")
            raise invalid(GroupKind(resource.group, resource.plural), context.info.name, [error])
    elif version != record.revision:
        raise conflict(resource.group_resource, context.info.name, CHANGED)
    new["metadata"]["resourceVersion"] = str(record.revision)


def _restore_metadata(new: Object, old: Object) -> None:
    if "generation" in old["metadata"]:
        new["metadata"]["generation"] = old["metadata"]["generation"]
    else:
        new["metadata"].pop("generation", None)


def _restore_identity(new: Object, old: Object) -> None:
    """An update can neither move these nor take them away."""
    metadata, before = new["metadata"], old["metadata"]
    if not metadata.get("uid"):
        metadata["uid"] = before["uid"]
    metadata["creationTimestamp"] = before["creationTimestamp"]
    if "deletionTimestamp" in before:
        metadata["deletionTimestamp"] = before["deletionTimestamp"]
    if "deletionGracePeriodSeconds" in before:
        metadata.setdefault("deletionGracePeriodSeconds", before["deletionGracePeriodSeconds"])


def _check_uid_of_put(context: Context, wanted: Object, live: Object | None) -> None:
    uid = wanted["metadata"].get("uid")
    found = "" if live is None else live["metadata"]["uid"]
    if uid and uid != found:
        why = f"Precondition failed: UID in precondition: {uid}, UID in object meta: {found}"
        raise conflict(context.resource.group_resource, context.info.name, why)


def _admission_request(context: Context, new: Object, old: Object, options: WriteOptions) -> AdmissionRequest:
    return AdmissionRequest(
        operation="UPDATE",
        resource=context.resource,
        subresource=context.info.subresource,
        namespace=context.namespace or context.info.namespace,
        name=context.info.name,
        object=new,
        old_object=old,
        user=context.user,
        dry_run=options.is_dry_run,
        options=reviewed_options(context.query, "UpdateOptions"),
        deadline=context.deadline,
        warnings=context.warnings,
    )
