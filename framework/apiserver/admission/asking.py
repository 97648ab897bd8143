"""Asks one webhook about one request."""

from collections.abc import Callable
from typing import Protocol

import msgspec

from framework.apiserver import status
from framework.apiserver.admission.calling import CallFailed
from framework.apiserver.admission.request import AdmissionRequest
from framework.apiserver.admission.review import (
    AdmissionResponse,
    ResponseStatus,
    decode_response,
    request_document,
    review_version,
)
from framework.apiserver.admission.versions import Versioned
from framework.apiserver.admission.webhook import Webhook
from framework.apiserver.deadline import timed_out
from framework.apiserver.resource import Resource
from framework.apiserver.spelling import spelled_string
from framework.bugs import report_bug
from framework.errors import ApiError, Status, api_error

_FIRST_ERROR = 400


class WebhookCaller(Protocol):
    def call(self, webhook: Webhook, body: bytes) -> bytes:
        """The body of a good answer to *body*; raises CallFailed."""


class Question(msgspec.Struct, frozen=True):
    webhook: Webhook
    request: AdmissionRequest
    resource: Resource
    versioned: Versioned
    is_mutating: bool


class Asker:
    def __init__(self, caller: WebhookCaller, new_uid: Callable[[], str]) -> None:
        self._caller = caller
        self._new_uid = new_uid

    def ask(self, question: Question, warnings: list[str]) -> AdmissionResponse:
        """An answer that allows; raises what the user is told otherwise, and CallFailed. *warnings* come with both."""
        webhook = question.webhook
        if question.request.dry_run and webhook.has_side_effects:
            raise status.bad_request(f"admission webhook {spelled_string(webhook.name)} does not support dry run")
        response = self._call(question)
        warnings.extend(response.warnings or ())
        if not response.allowed:
            raise _denial(webhook, response.status or ResponseStatus())
        return response

    def _call(self, question: Question) -> AdmissionResponse:
        webhook, uid = question.webhook, self._new_uid()
        version = review_version(webhook.review_versions)
        document = request_document(question.request, question.resource, uid)
        document["object"], document["oldObject"] = question.versioned
        review = {"kind": "AdmissionReview", "apiVersion": version, "request": document}
        deadline = question.request.deadline
        if deadline is not None:
            seconds = deadline.limit(webhook.timeout_seconds)
            webhook = msgspec.structs.replace(webhook, timeout_seconds=seconds)
        try:
            body = self._caller.call(webhook, msgspec.json.encode(review))
        except CallFailed as failure:
            if deadline is not None and deadline.is_over:
                raise timed_out() from None
            raise CallFailed(f"failed to call webhook: {failure}") from None
        return decode_response(body, version=version, uid=uid, is_mutating=question.is_mutating)


def answer_failure(webhook: Webhook, failure: CallFailed) -> None:
    """Do what the webhook's failurePolicy says: raise, or go on without it."""
    message = f"failed calling webhook {spelled_string(webhook.name)}: {failure}"
    if not webhook.ignores_failures:
        raise status.internal_error(message) from None
    report_bug("webhook_failed_open", None, webhook=webhook.name, message=message)


def _denial(webhook: Webhook, given: ResponseStatus) -> ApiError:
    denied = f"admission webhook {spelled_string(webhook.name)} denied the request"
    said = given.message or given.reason
    message = f"{denied}: {said}" if said else f"{denied} without explanation"
    code = max(given.code, _FIRST_ERROR)
    return api_error(Status(code, given.reason, message, given.details))
