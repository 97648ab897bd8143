"""Whether a webhook is to be called for a request, and which version it wants to see."""

from functools import partial

from framework.apiserver import status
from framework.apiserver.admission.match_conditions import ConditionsFailed, all_hold
from framework.apiserver.admission.namespace_lifecycle import NAMESPACES
from framework.apiserver.admission.request import AdmissionRequest
from framework.apiserver.admission.review import request_document
from framework.apiserver.admission.versions import Equivalents, VersionedObjects
from framework.apiserver.admission.webhook import Webhook
from framework.apiserver.objects import Object
from framework.apiserver.reader import ObjectReader
from framework.apiserver.resource import Resource


class Matcher:
    def __init__(self, reader: ObjectReader, equivalents: Equivalents) -> None:
        self._reader = reader
        self._equivalents = equivalents

    def wanted_resource(self, webhook: Webhook, objects: VersionedObjects) -> Resource | None:
        """None if *webhook* is not to be called; raises NotFound for a namespace that is gone, and Forbidden."""
        request = objects.request
        resource = self._by_rules(webhook, request)
        if resource is None or not self._is_namespace_selected(webhook, request):
            return None
        if not _is_object_selected(webhook, objects):
            return None
        return resource if _do_conditions_hold(webhook, objects, resource) else None

    def _by_rules(self, webhook: Webhook, request: AdmissionRequest) -> Resource | None:
        if any(rule.matches(request, request.resource) for rule in webhook.rules):
            return request.resource
        if not webhook.matches_equivalent:
            return None
        others = self._equivalents(request.resource)
        # Earlier rules count before earlier versions.
        matching = (other for rule in webhook.rules for other in others if rule.matches(request, other))
        return next(matching, None)

    def _is_namespace_selected(self, webhook: Webhook, request: AdmissionRequest) -> bool:
        is_namespace = request.resource.group_resource == NAMESPACES
        if webhook.namespaces.is_everything or not (request.namespace or is_namespace):
            return True
        if is_namespace and not request.subresource and request.object is not None:
            # As it will be, not as it is.
            return webhook.namespaces.matches(_labels(request.object))
        name = request.namespace or request.name
        namespace = self._reader.get(NAMESPACES, "", name)
        if namespace is None:
            raise status.not_found(NAMESPACES, name)
        return webhook.namespaces.matches(_labels(namespace))


def _is_object_selected(webhook: Webhook, objects: VersionedObjects) -> bool:
    if webhook.objects.is_everything:
        return True
    candidates = (objects.current, objects.request.old_object)
    return any(obj is not None and webhook.objects.matches(_labels(obj)) for obj in candidates)


def _do_conditions_hold(webhook: Webhook, objects: VersionedObjects, resource: Resource) -> bool:
    if not webhook.conditions:
        return True
    request, (obj, old) = objects.request, objects.as_served_by(resource)
    try:
        return all_hold(webhook.conditions, obj, old, partial(request_document, request, resource))
    except ConditionsFailed as error:
        if webhook.ignores_failures:
            return False
        raise status.forbidden(request.resource.group_resource, request.name, str(error)) from None


def _labels(obj: Object) -> dict[str, str]:
    labels: dict[str, str] = (obj.get("metadata") or {}).get("labels") or {}
    return labels
