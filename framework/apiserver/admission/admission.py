"""Everything that may change or refuse a write between its decoding and its validation, and before it is stored."""

from collections.abc import Callable

import msgspec

from framework.apiserver.admission.asking import Asker, Question, WebhookCaller
from framework.apiserver.admission.configurations import GROUP, MUTATING, VALIDATING, Configurations
from framework.apiserver.admission.match_conditions import Compile
from framework.apiserver.admission.matching import Matcher
from framework.apiserver.admission.mutating import JsonPatch, MutatingRound
from framework.apiserver.admission.namespace_lifecycle import check_namespace
from framework.apiserver.admission.request import AdmissionRequest
from framework.apiserver.admission.service_account import with_service_account
from framework.apiserver.admission.validating import Validation
from framework.apiserver.admission.versions import Equivalents, VersionedObjects
from framework.apiserver.objects import Object
from framework.apiserver.reader import ObjectReader
from framework.runtime import Runtime


class WebhookTools(msgspec.Struct, frozen=True):
    """What webhooks need of the rest of the server."""

    caller: WebhookCaller
    compile_condition: Compile
    json_patch: JsonPatch
    equivalents: Equivalents
    new_uid: Callable[[], str]


class Admission:
    """The built-in rules, then the webhooks of the configurations that are stored now."""

    def __init__(self, *, reader: ObjectReader, runtime: Runtime, tools: WebhookTools) -> None:
        self._reader = reader
        self._tools = tools
        self._configurations = Configurations(reader, tools.compile_condition)
        self._matcher = Matcher(reader, tools.equivalents)
        self._asker = Asker(tools.caller, tools.new_uid)
        self._validation = Validation(self._asker, runtime)

    def has_webhooks(self) -> bool:
        """Whether a write may have to wait for one; costs two look-ups."""
        webhooks = self._configurations.webhooks
        return bool(webhooks(MUTATING) or webhooks(VALIDATING))

    def mutate(self, request: AdmissionRequest) -> Object | None:
        """The object to go on with, in the version of the request; None for a deletion."""
        check_namespace(request, self._reader)
        obj = with_service_account(request, self._reader)
        webhooks = self._configurations.webhooks(MUTATING)
        if not webhooks or _is_exempt(request):
            return obj
        if obj is not request.object:
            request = msgspec.structs.replace(request, object=obj)
        objects = VersionedObjects(request)
        MutatingRound(self._matcher, self._asker, self._tools.json_patch, objects).run(webhooks)
        return objects.as_served_by(request.resource).object

    def validate(self, request: AdmissionRequest) -> None:
        """Raise the first objection."""
        webhooks = self._configurations.webhooks(VALIDATING)
        if not webhooks or _is_exempt(request):
            return
        objects = VersionedObjects(request)
        questions = []
        for webhook in webhooks:
            resource = self._matcher.wanted_resource(webhook, objects)
            if resource is not None:
                versioned = objects.as_served_by(resource)
                questions.append(Question(webhook, request, resource, versioned, is_mutating=False))
        self._validation.run(questions, request.warnings)


def _is_exempt(request: AdmissionRequest) -> bool:
    # A webhook that refuses all configurations could never be removed again.
    return request.resource.group == GROUP
