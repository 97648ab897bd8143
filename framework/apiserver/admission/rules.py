"""Which requests the rules of a webhook are about."""

import msgspec

from framework.apiserver.admission.namespace_lifecycle import NAMESPACES
from framework.apiserver.admission.request import AdmissionRequest
from framework.apiserver.objects import Object
from framework.apiserver.resource import Resource

_ALL = "*"


class Rule(msgspec.Struct, frozen=True):
    operations: frozenset[str]
    groups: frozenset[str]
    versions: frozenset[str]
    # With the subresource, "" for none.
    resources: frozenset[tuple[str, str]]
    scope: str

    def matches(self, request: AdmissionRequest, resource: Resource) -> bool:
        """Whether it is about *request*, if that were about *resource*, another version of the same."""
        return (
            _has(self.operations, request.operation)
            and _has(self.groups, resource.group)
            and _has(self.versions, resource.version)
            and self._has_resource(resource.plural, request.subresource)
            and self._has_scope(request, resource)
        )

    def _has_resource(self, name: str, subresource: str) -> bool:
        wanted = {(name, subresource), (_ALL, subresource), (name, _ALL), (_ALL, _ALL)}
        return not self.resources.isdisjoint(wanted)

    def _has_scope(self, request: AdmissionRequest, resource: Resource) -> bool:
        if self.scope == _ALL:
            return True
        is_namespaced = bool(request.namespace) and resource.group_resource != NAMESPACES
        return is_namespaced == (self.scope == "Namespaced")


def rule_of(document: Object) -> Rule:
    resources = [name.partition("/") for name in document.get("resources") or ()]
    return Rule(
        frozenset(document.get("operations") or ()),
        frozenset(document.get("apiGroups") or ()),
        frozenset(document.get("apiVersions") or ()),
        frozenset((name, subresource) for name, _, subresource in resources),
        document.get("scope") or _ALL,
    )


def _has(allowed: frozenset[str], wanted: str) -> bool:
    return wanted in allowed or _ALL in allowed
