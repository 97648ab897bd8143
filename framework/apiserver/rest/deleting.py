"""DELETE of one object or of a collection."""

import msgspec

from framework.apiserver.admission import AdmissionRequest
from framework.apiserver.objects import Object
from framework.apiserver.rest.context import Context
from framework.apiserver.rest.deletion import DeleteOptions, check_preconditions, delete_options, judge
from framework.apiserver.rest.listing import Page, check_list_options, list_page
from framework.apiserver.rest.selection import selection_of
from framework.apiserver.rest.versions import from_storage, to_storage
from framework.apiserver.status import not_found
from framework.apiserver.storage import Record, Stale
from framework.errors import NotFound

HTTP_OK, HTTP_ACCEPTED = 200, 202
# The real server goes through a collection page by page, so a version in the query means that version exactly.
_PAGE = 2**31


def delete(context: Context) -> tuple[Object, int]:
    """Answer a DELETE of one object: the object or a Status, and the code."""
    options = delete_options(context)
    answer, is_removed = _delete(context, context.info.name, options)
    is_cascading = options.orphan_dependents is False
    return answer, HTTP_ACCEPTED if is_cascading and not is_removed else HTTP_OK


def delete_collection(context: Context) -> Page:
    """Answer a DELETE of a collection: the page of it that the request asks for, which is gone or going."""
    check_list_options(context)
    selection_of(context)
    options = delete_options(context)
    page = list_page(context, _PAGE)
    for record in page.records:
        try:
            _delete(context, record.key.name, options, namespace=record.key.namespace)
        except NotFound:
            continue
    return page


def _delete(
    context: Context, name: str, options: DeleteOptions, *, namespace: str | None = None
) -> tuple[Object, bool]:
    resource = context.resource
    key = context.key._replace(name=name)
    if namespace is not None:
        key = key._replace(namespace=namespace)
    while True:
        record = context.table.get(key)
        if record is None:
            raise not_found(resource.group_resource, name)
        try:
            return _attempt(context, record, options)
        except Stale:
            continue


def _attempt(context: Context, record: Record, options: DeleteOptions) -> tuple[Object, bool]:
    services, resource = context.services, context.resource
    old = from_storage(resource, record)
    check_preconditions(context, options, old)
    request = _admission_request(context, old, options)
    services.admission.mutate(request)
    services.admission.validate(request)
    verdict = judge(resource, options, from_storage(resource, record), services.clock.now())
    if options.is_dry_run:
        return (_deleted(context, old), True) if verdict.is_removed else (verdict.marked or old, False)
    if verdict.marked is not None and (verdict.marked != old or not record.is_complete):
        record = services.storage.write(resource.storage, record.key, record, to_storage(resource, verdict.marked))
    if verdict.is_removed:
        record = services.storage.delete(resource.storage, record.key, record)
        return _deleted(context, from_storage(resource, record)), True
    return from_storage(resource, record), False


def _deleted(context: Context, old: Object) -> Object:
    if context.resource.returns_deleted_object:
        return old
    resource = context.resource.group_resource
    details = {"name": old["metadata"]["name"], "group": resource.group, "kind": resource.resource}
    details["uid"] = old["metadata"]["uid"]
    return {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "details": {name: value for name, value in details.items() if value},
    }


def _admission_request(context: Context, old: Object, options: DeleteOptions) -> AdmissionRequest:
    return AdmissionRequest(
        operation="DELETE",
        resource=context.resource,
        subresource="",
        namespace=old["metadata"].get("namespace") or context.info.namespace,
        # Of a collection the real server does not tell which one it is.
        name=context.info.name,
        object=None,
        old_object=old,
        user=context.user,
        dry_run=options.is_dry_run,
        options={"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1", **msgspec.to_builtins(options)},
        deadline=context.deadline,
        warnings=context.warnings,
    )
