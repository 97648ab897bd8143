"""Handlers of one kind, from the bytes of a review to the bytes of its answer."""

from collections.abc import Callable
from typing import Any, Generic, Literal, Protocol, TypeVar

import msgspec
import structlog

from apis.meta import KubeObject, ResourceType, Unstructured
from framework.client import Codec
from framework.errors import ConfigurationError, DeadlineExceeded, Denied, TimedOut, WindlassError
from framework.log import without_secrets
from framework.webhooks.admission_request import AdmissionRequest
from framework.webhooks.carry_over import carry_over
from framework.webhooks.json_patch import Operation, json_patch
from framework.webhooks.metrics import WebhookMetrics
from framework.webhooks.options import HookOptions
from framework.webhooks.wire import (
    WireRequest,
    WireResponse,
    WireStatus,
    bad_review,
    decode_admission,
    encode_admission,
)

T = TypeVar("T", bound=KubeObject)
# Returns if the request is fine, raises Denied if it is not.
Validator = Callable[[AdmissionRequest[T]], None]
# Returns the object as it shall be; None: as it is.
Mutator = Callable[[AdmissionRequest[T]], T | None]

_log = structlog.get_logger("windlass.webhook")


class Hook(Protocol):
    """What is served at one path."""

    @property
    def path(self) -> str: ...

    def answer(self, body: bytes, metrics: WebhookMetrics) -> bytes:
        """Raises ApiError for a body that is no review of the kind."""


class AdmissionHook(Generic[T]):
    """A validator or a mutator of one kind."""

    def __init__(
        self,
        what: Literal["validate", "mutate"],
        codec: Codec[T],
        handler: Validator[T] | Mutator[T],
        options: HookOptions,
    ) -> None:
        self.what = what
        self.options = options
        self._codec = codec
        self._handler = handler

    @property
    def resource_type(self) -> ResourceType:
        return self._codec.resource_type

    @property
    def path(self) -> str:
        return admission_path(self.what, self.resource_type)

    def answer(self, body: bytes, metrics: WebhookMetrics) -> bytes:
        wire = decode_admission(body)
        if wire.kind.gvk != self.resource_type.gvk:
            asked, served = wire.kind.gvk, self.resource_type.gvk
            raise bad_review(f"{self.path} is for {served.kind} of {served.api_version}, not for {'/'.join(asked)}")
        request = AdmissionRequest(wire, self._codec)
        try:
            operations = self._ask(wire, request)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a handler is foreign code; its failure is answered
            return encode_admission(_denial(request, self._status(wire, error, metrics)))
        return encode_admission(_permission(request, operations))

    def _ask(self, wire: WireRequest, request: AdmissionRequest[T]) -> list[Operation]:
        result = self._handler(request)
        if self.what == "validate" or request.new is None:
            return []
        after = request.new if result is None else result
        document = msgspec.json.decode(wire.object)
        if isinstance(after, Unstructured):
            return json_patch(document, after.content)
        return json_patch(document, carry_over(document, self._codec.decode(wire.object), after))

    def _status(self, wire: WireRequest, error: BaseException, metrics: WebhookMetrics) -> WireStatus:
        if isinstance(error, Denied):
            details = {"causes": msgspec.to_builtins(error.causes)} if error.causes else {}
            return WireStatus(code=error.code, message=str(error), reason=error.reason, details=details)
        context: dict[str, Any] = {"path": self.path, "operation": wire.operation, "review": wire.uid}
        if isinstance(error, DeadlineExceeded | TimedOut):
            _log.warning("webhook_out_of_time", **context, error=str(error))
            return WireStatus(code=504, message=_one_line(self.path, error), reason="Timeout")
        if not isinstance(error, WindlassError):
            metrics.panicked()
        _log.error("webhook_failed", **context, exc_info=error)
        return WireStatus(code=500, message=_one_line(self.path, error), reason="InternalError")


def admission_path(what: str, resource_type: ResourceType) -> str:
    """As controller-runtime has it, e.g. `/validate-apps-example-com-v1-widget`; the core group is empty."""
    group, version, kind = resource_type.gvk
    return f"/{what}-{group.replace('.', '-')}-{version}-{kind.lower()}"


def admission_hook(
    what: Literal["validate", "mutate"],
    codec: Codec[T],
    handler: Validator[T] | Mutator[T],
    options: HookOptions,
) -> AdmissionHook[T]:
    if what == "mutate" and "DELETE" in options.operations:
        raise ConfigurationError(f"{codec.resource_type}: what is deleted cannot be mutated; leave DELETE out")
    return AdmissionHook(what, codec, handler, options)


def one_line(error: BaseException) -> str:
    """For a person, without what looks like a credential."""
    return str(without_secrets(" ".join(f"{type(error).__name__}: {error}".split())))


def _one_line(path: str, error: BaseException) -> str:
    return f"the webhook {path} failed: {one_line(error)}"


def _denial(request: AdmissionRequest[T], status: WireStatus) -> WireResponse:
    return WireResponse(
        uid=request.uid,
        allowed=False,
        status=status,
        warnings=request.warnings,
        audit_annotations=request.audit_annotations,
    )


def _permission(request: AdmissionRequest[T], operations: list[Operation]) -> WireResponse:
    return WireResponse(
        uid=request.uid,
        allowed=True,
        patch=msgspec.json.encode(operations) if operations else None,
        patch_type="JSONPatch" if operations else None,
        warnings=request.warnings,
        audit_annotations=request.audit_annotations,
    )
