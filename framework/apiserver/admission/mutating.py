"""Mutating webhooks: one after the other, each sees what the ones before it have made."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import msgspec

from framework.apiserver import status
from framework.apiserver.admission.asking import Asker, Question, answer_failure
from framework.apiserver.admission.calling import CallFailed
from framework.apiserver.admission.matching import Matcher
from framework.apiserver.admission.review import AdmissionResponse
from framework.apiserver.admission.versions import VersionedObjects
from framework.apiserver.admission.webhook import Webhook
from framework.apiserver.objects import Object
from framework.apiserver.resource import Resource
from framework.apiserver.spelling import spelled_string
from framework.errors import ApiError

# The object that JSON patch operations make of another one; raises ApiError.
JsonPatch: TypeAlias = Callable[[Object, Any], Object]


class MutatingRound:
    """All webhooks for one request, and once more those that asked for it and came before a change."""

    def __init__(self, matcher: Matcher, asker: Asker, json_patch: JsonPatch, objects: VersionedObjects) -> None:
        self._matcher = matcher
        self._asker = asker
        self._json_patch = json_patch
        self._objects = objects
        # Those that were called and want to see later changes; when one comes they move over to _again.
        self._waiting: set[tuple[str, int]] = set()
        self._again: set[tuple[str, int]] = set()

    def run(self, webhooks: Sequence[Webhook]) -> None:
        for webhook in webhooks:
            self._offer(webhook)
        again, self._again = self._again, set()
        for webhook in webhooks:
            if webhook.key in again:
                self._offer(webhook)

    def _offer(self, webhook: Webhook) -> None:
        resource = self._matcher.wanted_resource(webhook, self._objects)
        if resource is None:
            return
        try:
            changed = self._call(webhook, resource)
        except CallFailed as failure:
            changed = False
            answer_failure(webhook, failure)
        if changed:
            self._again |= self._waiting
            self._waiting.clear()
        if webhook.is_reinvoked:
            self._waiting.add(webhook.key)

    def _call(self, webhook: Webhook, resource: Resource) -> bool:
        """Whether the webhook has changed the object."""
        request, versioned = self._objects.request, self._objects.as_served_by(resource)
        response = self._asker.ask(Question(webhook, request, resource, versioned, is_mutating=True), request.warnings)
        operations = _operations(response)
        if not operations:
            return False
        if versioned.object is None:
            modified = f"admission webhook {spelled_string(webhook.name)} attempted to modify the object"
            raise status.internal_error(f"{modified}, which is not supported for this operation")
        patched = self._patched(versioned.object, operations)
        changed = patched != versioned.object
        resource.strategy.default(patched)
        self._objects.replace(resource, patched)
        return changed

    def _patched(self, obj: Object, operations: Any) -> Object:
        try:
            return self._json_patch(obj, operations)
        except ApiError as error:
            raise status.internal_error(str(error)) from None


def _operations(response: AdmissionResponse) -> Any:
    if not response.patch:
        return None
    try:
        operations = msgspec.json.decode(response.patch)
    except msgspec.DecodeError as error:
        raise CallFailed(f"received undecodable patch in webhook response: {error}") from None
    if not isinstance(operations, list | None):
        raise CallFailed("received undecodable patch in webhook response: json: it is no array")
    if operations and response.patch_type != "JSONPatch":
        raise CallFailed(f"unsupported patch type {spelled_string(response.patch_type or '')}")
    return operations
