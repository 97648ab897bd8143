"""AdmissionReview and ConversionReview as they go over the wire."""

from typing import Any, TypeVar

import msgspec

from apis.meta import GroupVersionKind
from framework.errors import ApiError, BadRequest, Status

ADMISSION = "admission.k8s.io/v1"
CONVERSION = "apiextensions.k8s.io/v1"


class _Wire(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    pass


class WireKind(_Wire, frozen=True, kw_only=True):
    group: str = ""
    version: str = ""
    kind: str = ""

    @property
    def gvk(self) -> GroupVersionKind:
        return GroupVersionKind(self.group, self.version, self.kind)


class User(_Wire, frozen=True, kw_only=True):
    """Who makes the request."""

    username: str = ""
    uid: str = ""
    groups: list[str] = []
    extra: dict[str, list[str]] = {}


class WireRequest(_Wire, frozen=True, kw_only=True):
    uid: str
    operation: str
    kind: WireKind
    name: str = ""
    namespace: str = ""
    sub_resource: str = ""
    request_kind: WireKind | None = None
    user_info: User = User()
    dry_run: bool | None = None
    options: dict[str, Any] | None = None
    # Bytes until somebody asks: most handlers look at one of the two.
    object: msgspec.Raw = msgspec.Raw(b"null")
    old_object: msgspec.Raw = msgspec.Raw(b"null")


class WireStatus(_Wire, frozen=True, kw_only=True):
    code: int
    message: str
    reason: str = ""
    details: dict[str, Any] = {}


class WireResponse(_Wire, frozen=True, kw_only=True):
    uid: str
    allowed: bool
    status: WireStatus | None = None
    patch: bytes | None = None
    patch_type: str | None = None
    warnings: list[str] = []
    audit_annotations: dict[str, str] = {}


class ConversionRequest(_Wire, frozen=True, kw_only=True):
    uid: str
    desired_api_version: str = msgspec.field(name="desiredAPIVersion")
    objects: list[msgspec.Raw] = []


class _Review(_Wire, frozen=True, kw_only=True):
    api_version: str = ""
    kind: str = ""


ReviewT = TypeVar("ReviewT", bound=_Review)


class _AdmissionReview(_Review, frozen=True, kw_only=True):
    request: WireRequest | None = None


class _ConversionReview(_Review, frozen=True, kw_only=True):
    request: ConversionRequest | None = None


_admission_decoder = msgspec.json.Decoder(_AdmissionReview)
_conversion_decoder = msgspec.json.Decoder(_ConversionReview)


def decode_admission(body: bytes) -> WireRequest:
    """Raises what to answer to a body that is no review."""
    review = _decoded(_admission_decoder, body)
    if (review.api_version, review.kind) != (ADMISSION, "AdmissionReview"):
        raise _not_a("AdmissionReview", ADMISSION, review)
    if review.request is None:
        raise bad_review("the AdmissionReview has no request")
    return review.request


def decode_conversion(body: bytes) -> ConversionRequest:
    """Raises what to answer to a body that is no review."""
    review = _decoded(_conversion_decoder, body)
    if (review.api_version, review.kind) != (CONVERSION, "ConversionReview"):
        raise _not_a("ConversionReview", CONVERSION, review)
    if review.request is None:
        raise bad_review("the ConversionReview has no request")
    return review.request


def encode_admission(response: WireResponse) -> bytes:
    return msgspec.json.encode({"apiVersion": ADMISSION, "kind": "AdmissionReview", "response": response})


def encode_conversion(response: dict[str, Any]) -> bytes:
    return msgspec.json.encode({"apiVersion": CONVERSION, "kind": "ConversionReview", "response": response})


def bad_review(why: str) -> ApiError:
    return BadRequest(Status(400, "BadRequest", why))


def _decoded(decoder: msgspec.json.Decoder[ReviewT], body: bytes) -> ReviewT:
    if not body:
        raise bad_review("the request has no body; an AdmissionReview or ConversionReview is expected")
    try:
        return decoder.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise bad_review(f"the body is no review: {error}") from None


def _not_a(kind: str, api_version: str, review: _Review) -> ApiError:
    return bad_review(f"expected {kind} of {api_version}, got {review.kind!r} of {review.api_version!r}")
