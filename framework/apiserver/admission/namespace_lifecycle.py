"""NamespaceLifecycle: nothing is made where no namespace is, or where one is going away."""

from framework.apiserver import status
from framework.apiserver.admission.request import AdmissionRequest
from framework.apiserver.objects import GroupKind, GroupResource
from framework.apiserver.reader import ObjectReader
from framework.errors import StatusCause

NAMESPACES = GroupResource("", "namespaces")
_NAMESPACE = GroupKind("", "Namespace")
_IMMORTAL = frozenset({"default", "kube-system", "kube-public"})
# Their answers must not tell which namespaces there are.
_ACCESS_REVIEW = GroupResource("authorization.k8s.io", "localsubjectaccessreviews")


def check_namespace(request: AdmissionRequest, reader: ObjectReader) -> None:
    """Raise NotFound or Forbidden, as the real server words it."""
    if request.resource.group_kind == _NAMESPACE:
        if request.operation == "DELETE" and request.name in _IMMORTAL:
            raise status.forbidden(NAMESPACES, request.name, "this namespace may not be deleted")
        return
    name = request.namespace
    if not name or request.operation == "DELETE" or request.resource.group_resource == _ACCESS_REVIEW:
        return
    namespace = reader.get(NAMESPACES, "", name)
    if namespace is None:
        raise status.not_found(NAMESPACES, name)
    if request.operation == "CREATE" and (namespace.get("status") or {}).get("phase") == "Terminating":
        cause = StatusCause("NamespaceTerminating", f"namespace {name} is being terminated", "metadata.namespace")
        why = f"unable to create new content in namespace {name} because it is being terminated"
        raise status.forbidden(request.resource.group_resource, request.name_in_messages, why, [cause])
