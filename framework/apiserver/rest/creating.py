"""POST, and every other request that ends in a new object."""

import msgspec

from apis.meta import Key
from framework.apiserver.admission import AdmissionRequest
from framework.apiserver.auth import Attributes, require
from framework.apiserver.objectmeta import validate_new
from framework.apiserver.objects import Object
from framework.apiserver.rest.context import Context
from framework.apiserver.rest.decoding import decode_object
from framework.apiserver.rest.go_numbers import NotNumericError, uint64
from framework.apiserver.rest.metadata import (
    complete,
    drop_repeated_owners,
    ensure_namespace,
    fill_system_fields,
    generated_name,
    wipe_system_fields,
)
from framework.apiserver.rest.options import WriteOptions, reviewed_options, write_options
from framework.apiserver.rest.versions import from_storage, to_storage
from framework.apiserver.status import already_exists, conflict, failure, forbidden, invalid
from framework.apiserver.storage import Stale
from framework.errors import ApiError, api_error

_NAME_ATTEMPTS = 8
_TERMINATING = "create not allowed while custom resource definition is terminating"


def create(context: Context) -> Object:
    """Answer a POST: the new object in the version of the request."""
    options = write_options(context.query, "CreateOptions")
    obj = decode_object(context, options)
    wipe_system_fields(obj["metadata"])
    ensure_namespace(context.resource, context.namespace, obj["metadata"])
    drop_repeated_owners(context, obj)
    context.resource.field_manager.update(None, obj, context.manager, context.services.now())
    return admit_and_store(context, obj, options)


def admit_and_store(context: Context, obj: Object, options: WriteOptions) -> Object:
    """Put an object whose fields are owned already through admission, validation and storage."""
    if context.resource.is_terminating:
        name = obj["metadata"].get("name") or context.info.name
        raise forbidden(context.resource.group_resource, name, _TERMINATING)
    request = _admission_request(context, obj, options)
    admitted = context.services.admission.mutate(request)
    obj = obj if admitted is None else admitted
    drop_repeated_owners(context, obj, is_admitted=True)
    if obj["metadata"].get("name") or not obj["metadata"].get("generateName"):
        return _store(context, obj, options)
    return _store_under_new_name(context, obj, options)


def _store_under_new_name(context: Context, obj: Object, options: WriteOptions) -> Object:
    for attempt in range(1, _NAME_ATTEMPTS + 1):
        candidate = msgspec.json.decode(msgspec.json.encode(obj))
        candidate["metadata"]["name"] = generated_name(context.services, obj["metadata"]["generateName"])
        try:
            return _store(context, candidate, options)
        except ApiError as error:
            if error.reason != "AlreadyExists" or attempt == _NAME_ATTEMPTS:
                raise
    raise AssertionError("unreachable")


def _store(context: Context, obj: Object, options: WriteOptions) -> Object:
    services, resource = context.services, context.resource
    metadata = obj["metadata"]
    fill_system_fields(services, metadata)
    ensure_namespace(resource, context.namespace, metadata)
    resource.strategy.prepare_for_create(obj)
    errors = list(resource.strategy.validate(obj)) or validate_new(obj, is_namespaced=resource.is_namespaced)
    if errors:
        raise invalid(resource.kind_of(obj), metadata.get("name") or "", errors)
    context.warnings.extend(resource.strategy.warnings(obj))
    _require_create(context)
    services.admission.validate(_admission_request(context, obj, options))
    return _commit(context, obj, options)


def _require_create(context: Context) -> None:
    """Who creates by an apply or an update was asked for the right to that alone when he came in."""
    info = context.info
    if info.verb == "create":
        return
    attributes = Attributes(
        user=context.user,
        verb="create",
        group=info.group,
        version=info.version,
        resource=info.resource,
        subresource=info.subresource,
        namespace=info.namespace,
        name=info.name,
    )
    require(context.services.authorizer, attributes)


def _commit(context: Context, obj: Object, options: WriteOptions) -> Object:
    storage, resource = context.services.storage, context.resource
    key = Key(context.namespace, obj["metadata"]["name"])
    if context.request.method == "POST" and not options.is_dry_run:
        _refuse_version(obj)
    existing = storage.table(resource.storage).get(key)
    if existing is not None:
        raise _exists(context, key, is_terminating=bool(existing.decode()["metadata"].get("deletionTimestamp")))
    obj["metadata"].pop("selfLink", None)
    is_complete = complete(resource, obj)
    if options.is_dry_run:
        return obj
    try:
        record = storage.write(resource.storage, key, None, to_storage(resource, obj), is_complete=is_complete)
    except Stale:
        raise _exists(context, key, is_terminating=False) from None
    return from_storage(resource, record)


def _refuse_version(obj: Object) -> None:
    version = obj["metadata"].get("resourceVersion") or "0"
    try:
        is_set = uint64(version) > 0
    except NotNumericError:
        # It is no version, and is overwritten.
        is_set = False
    if is_set:
        raise failure("resourceVersion should not be set on objects to be created")


def _exists(context: Context, key: Key, *, is_terminating: bool) -> ApiError:
    error = already_exists(context.resource.group_resource, key.name)
    if not is_terminating:
        return error
    status = msgspec.structs.replace(error.status, message=f"object is being deleted: {error.status.message}")
    return api_error(status)


def refuse_uid_without_object(context: Context, obj: Object) -> None:
    """An apply that names a uid means an object that exists."""
    if uid := obj["metadata"].get("uid"):
        why = f"uid mismatch: the provided object specified uid {uid}, and no existing object was found"
        raise conflict(context.resource.group_resource, context.info.name, why)


def _admission_request(context: Context, obj: Object, options: WriteOptions) -> AdmissionRequest:
    return AdmissionRequest(
        operation="CREATE",
        resource=context.resource,
        subresource=context.info.subresource,
        namespace=context.namespace or context.info.namespace,
        name=obj["metadata"].get("name") or context.info.name,
        object=obj,
        old_object=None,
        user=context.user,
        dry_run=options.is_dry_run,
        options=reviewed_options(context.query, "CreateOptions"),
        deadline=context.deadline,
        warnings=context.warnings,
    )
