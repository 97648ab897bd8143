"""ServiceAccount: every pod runs as somebody.

Two things of the real plugin are left out on purpose. It mounts a token into each container: here no kubelet would
ever fill that volume, and tests would have to look past it. And it refuses pods until the namespace's `default`
account exists: that account is made by a controller, which may not be running here.
"""

from framework.apiserver import status
from framework.apiserver.admission.request import AdmissionRequest
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.reader import ObjectReader

_PODS = GroupResource("", "pods")
_ACCOUNTS = GroupResource("", "serviceaccounts")
_DEFAULT = "default"
_MIRROR = "kubernetes.io/config.mirror"


def with_service_account(request: AdmissionRequest, reader: ObjectReader) -> Object | None:
    """The object of *request*; a new pod gets its account, and the pull secrets of that account."""
    pod = request.object
    if pod is None or request.operation != "CREATE" or request.subresource:
        return pod
    if request.resource.group_resource != _PODS or _MIRROR in (pod["metadata"].get("annotations") or {}):
        return pod
    spec = dict(pod.get("spec") or {})
    name = spec.get("serviceAccountName") or _DEFAULT
    account = reader.get(_ACCOUNTS, request.namespace, name)
    if account is None and name != _DEFAULT:
        why = f'error looking up service account {request.namespace}/{name}: serviceaccount "{name}" not found'
        raise status.forbidden(_PODS, request.name_in_messages, why)
    # The second is the name that the field had in the first versions of the API; both are always told.
    spec["serviceAccountName"] = spec["serviceAccount"] = name
    if not spec.get("imagePullSecrets") and (secrets := (account or {}).get("imagePullSecrets")):
        spec["imagePullSecrets"] = [dict(secret) for secret in secrets]
    return {**pod, "spec": spec}
