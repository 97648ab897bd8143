"""AdmissionReview: what is sent to a webhook, and what of its answer is believed."""

import msgspec

from framework.apiserver.admission.calling import CallFailed
from framework.apiserver.admission.request import AdmissionRequest, GroupVersionKind
from framework.apiserver.objects import Object
from framework.apiserver.resource import Resource
from framework.apiserver.spelling import spelled_string
from framework.errors import StatusDetails

_GROUP = "admission.k8s.io"
_VERSIONS = ("v1", "v1beta1")


class ResponseStatus(msgspec.Struct, frozen=True, rename="camel"):
    code: int = 0
    reason: str = ""
    message: str = ""
    details: StatusDetails | None = None


class AdmissionResponse(msgspec.Struct, frozen=True, rename="camel"):
    uid: str = ""
    allowed: bool = False
    patch: bytes | None = None
    patch_type: str | None = None
    status: ResponseStatus | None = None
    warnings: list[str] | None = None


class _Review(msgspec.Struct, frozen=True, rename="camel"):
    kind: str = ""
    api_version: str = ""
    response: AdmissionResponse | None = None


def request_document(request: AdmissionRequest, resource: Resource, uid: str = "") -> Object:
    """The request without its objects, as seen by a webhook that wants *resource*, another version of the same."""
    kind = request.kind if resource is request.resource else _kind_of(request, resource)
    document: Object = {
        "uid": uid,
        "kind": _kind(kind),
        "resource": _resource(resource),
        "requestKind": _kind(request.kind),
        "requestResource": _resource(request.resource),
    }
    if request.subresource:
        document["subResource"] = document["requestSubResource"] = request.subresource
    if request.name:
        document["name"] = request.name
    if request.namespace:
        document["namespace"] = request.namespace
    document["operation"] = request.operation
    document["userInfo"] = request.user.document()
    document["dryRun"] = request.dry_run
    document["options"] = request.options
    return document


def review_version(accepted: tuple[str, ...]) -> str:
    """The first version in *accepted* that is known here."""
    for version in accepted:
        if version in _VERSIONS:
            return f"{_GROUP}/{version}"
    raise CallFailed(
        "could not create admission objects: webhook does not accept known AdmissionReview versions (v1, v1beta1)"
    )


def decode_response(body: bytes, *, version: str, uid: str, is_mutating: bool) -> AdmissionResponse:
    review = _decode(body)
    if review.api_version not in {"", version}:
        raise CallFailed(f"failed to call webhook: {_wrong_kind(review, version)}")
    response = review.response
    problem = "webhook response was absent"
    if response is not None:
        is_strict = version.endswith("/v1")
        problem = _problem(review, response, uid, is_mutating=is_mutating) if is_strict else ""
        if not problem:
            return response if is_strict else _as_v1(response, is_mutating=is_mutating)
    raise CallFailed(f"received invalid webhook response: {problem}")


def _decode(body: bytes) -> _Review:
    try:
        return msgspec.json.decode(body, type=_Review)
    except msgspec.ValidationError as error:
        raise CallFailed(f"failed to call webhook: json: {error}") from None
    except msgspec.DecodeError as error:
        raise CallFailed(f"failed to call webhook: couldn't get version/kind; json parse error: {error}") from None


def _wrong_kind(review: _Review, wanted: str) -> str:
    if review.api_version.startswith(f"{_GROUP}/") and review.kind == "AdmissionReview":
        got, want = review.api_version.rpartition("/")[2], wanted.rpartition("/")[2]
        return f"converting ({got}.AdmissionReview) to ({want}.AdmissionReview): unknown conversion"
    where = 'in scheme "pkg/runtime/scheme.go:111"'
    return (
        f"no kind {spelled_string(review.kind)} is registered for version {spelled_string(review.api_version)} {where}"
    )


def _problem(review: _Review, response: AdmissionResponse, uid: str, *, is_mutating: bool) -> str:
    if response.uid != uid:
        return f"expected response.uid={spelled_string(uid)}, got {spelled_string(response.uid)}"
    if (review.kind, review.api_version) != ("AdmissionReview", f"{_GROUP}/v1"):
        group, _, version = review.api_version.rpartition("/")
        return (
            f"expected webhook response of {_GROUP}/v1, Kind=AdmissionReview, got {group}/{version}, Kind={review.kind}"
        )
    if not is_mutating:
        return _needless(response)
    if response.patch and response.patch_type is None:
        return "webhook returned response.patch but not response.patchType"
    if not response.patch and response.patch_type is not None:
        return "webhook returned response.patchType but not response.patch"
    return 'webhook returned invalid response.patchType of ""' if response.patch_type == "" else ""


def _needless(response: AdmissionResponse) -> str:
    if response.patch:
        return "validating webhook may not return response.patch"
    return "validating webhook may not return response.patchType" if response.patch_type is not None else ""


def _as_v1(response: AdmissionResponse, *, is_mutating: bool) -> AdmissionResponse:
    # In v1beta1 nothing was checked, and there was one type of patch only.
    patch = response.patch if is_mutating else None
    return msgspec.structs.replace(response, patch=patch, patch_type="JSONPatch" if patch else None)


def _kind_of(request: AdmissionRequest, resource: Resource) -> GroupVersionKind:
    if request.kind.kind != request.resource.kind:
        return request.kind
    return GroupVersionKind(resource.group, resource.version, resource.kind)


def _kind(kind: GroupVersionKind) -> Object:
    return {"group": kind.group, "version": kind.version, "kind": kind.kind}


def _resource(resource: Resource) -> Object:
    return {"group": resource.group, "version": resource.version, "resource": resource.plural}
