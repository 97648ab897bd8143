"""pods/binding: puts a pod on a node, once."""

from typing import Any

from framework.apiserver.admission import AdmissionRequest
from framework.apiserver.fields import FieldError, aggregate, required, unsupported
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.rest.context import Context
from framework.apiserver.rest.decoding import decode_body
from framework.apiserver.rest.options import WriteOptions, reviewed_options, write_options
from framework.apiserver.rest.pod_conditions import set_pod_condition
from framework.apiserver.rest.versions import from_storage, to_storage
from framework.apiserver.status import bad_request, conflict, not_found
from framework.apiserver.storage import Stale
from framework.errors import ApiError, Status, api_error

_SCHEMA = "io.k8s.api.core.v1.Binding"
_BINDING = GroupResource("", "pods/binding")


def bind(context: Context) -> None:
    """Answer a POST of a Binding."""
    options = write_options(context.query, "CreateOptions")
    binding = decode_body(context.headers.get("content-type", ""), context.request.body, _SCHEMA)
    if not isinstance(binding, dict):
        raise bad_request("the body is not a Binding")
    binding = {"apiVersion": "v1", "kind": "Binding", **binding}
    metadata = binding.setdefault("metadata", {})
    if metadata.get("name") != context.info.name:
        raise bad_request("name in URL does not match name in Binding object")
    binding = admit(context, binding, options)
    target = binding.get("target") or {}
    if errors := _problems(target):
        # The real server does not make an Invalid of these.
        raise api_error(Status(500, "", aggregate(errors)))
    _assign(context, binding["metadata"], target["name"], options)


def admit(context: Context, obj: Object, options: WriteOptions) -> Object:
    """Ask admission about the creation of *obj* in a subresource."""
    request = AdmissionRequest(
        operation="CREATE",
        resource=context.resource,
        subresource=context.info.subresource,
        namespace=context.namespace,
        name=context.info.name,
        object=obj,
        user=context.user,
        dry_run=options.is_dry_run,
        options=reviewed_options(context.query, "CreateOptions"),
        deadline=context.deadline,
        warnings=context.warnings,
    )
    admitted = context.services.admission.mutate(request)
    context.services.admission.validate(request)
    return obj if admitted is None else admitted


def _problems(target: Any) -> list[FieldError]:
    errors = []
    if target.get("kind") not in {None, "", "Node"}:
        errors.append(unsupported("target.kind", target["kind"], ["Node", "<empty>"]))
    if not target.get("name"):
        errors.append(required("target.name"))
    return errors


def _assign(context: Context, metadata: Any, node: str, options: WriteOptions) -> None:
    storage, resource = context.services.storage, context.resource
    while True:
        record = context.table.get(context.key)
        if record is None:
            raise not_found(resource.group_resource, context.info.name)
        pod = from_storage(resource, record)
        _check(context, metadata, pod)
        pod["spec"]["nodeName"] = node
        pod["status"].pop("nominatedNodeName", None)
        for name in ("annotations", "labels"):
            if given := metadata.get(name):
                pod["metadata"][name] = {**(pod["metadata"].get(name) or {}), **given}
        set_pod_condition(pod, {"type": "PodScheduled", "status": "True"}, context.services.now())
        try:
            if not options.is_dry_run:
                storage.write(resource.storage, record.key, record, to_storage(resource, pod))
        except Stale:
            continue
        return


def _check(context: Context, metadata: Any, pod: Object) -> None:
    name, live = context.info.name, pod["metadata"]
    for field, spelled in (("uid", "UID"), ("resourceVersion", "ResourceVersion")):
        if (wanted := metadata.get(field)) and wanted != live[field]:
            why = f"Precondition failed: {spelled} in precondition: {wanted}, {spelled} in object meta: {live[field]}"
            raise conflict(context.resource.group_resource, name, why)
    if "deletionTimestamp" in live:
        raise _refused(name, f"pod {name} is being deleted, cannot be assigned to a host")
    if node := pod["spec"].get("nodeName"):
        raise _refused(name, f'pod {name} is already assigned to node "{node}"')
    if pod["spec"].get("schedulingGates"):
        raise _refused(name, f"pod {name} has non-empty .spec.schedulingGates")


def _refused(name: str, why: str) -> ApiError:
    return conflict(_BINDING, name, why)
