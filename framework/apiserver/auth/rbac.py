"""The RBAC authorizer: Roles, ClusterRoles and their bindings as they are stored now."""

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from framework.apiserver.auth.attributes import Attributes, Decision, UserRules
from framework.apiserver.auth.policy_rule import PolicyRule, policy_rules
from framework.apiserver.auth.quoting import joined_errors
from framework.apiserver.auth.user import MASTERS, UserInfo, service_account_name
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.reader import ObjectReader
from framework.apiserver.spelling import spelled_string

GROUP = "rbac.authorization.k8s.io"
ROLES = GroupResource(GROUP, "roles")
ROLE_BINDINGS = GroupResource(GROUP, "rolebindings")
CLUSTER_ROLES = GroupResource(GROUP, "clusterroles")
CLUSTER_ROLE_BINDINGS = GroupResource(GROUP, "clusterrolebindings")

# Users times kinds of requests; reached only by somebody who makes up names.
_MOST_CACHED = 20_000
_SUPERUSER = Decision(allowed=True)


class BoundRule(msgspec.Struct, frozen=True):
    """A rule that a binding gives to a user, or why its role could not be found."""

    rule: PolicyRule | None
    # Which binding it comes from.
    source: str = ""
    error: str = ""


class _Grants(msgspec.Struct, frozen=True):
    """The answer to all requests that differ in the object's name alone, in the order of the rules."""

    allowing: tuple[tuple[frozenset[str] | None, Decision], ...]
    refusal: Decision

    def decide(self, name: str) -> Decision:
        for names, decision in self.allowing:
            if names is None or name in names:
                return decision
        return self.refusal


class _Cache:
    """What was computed from the RBAC objects of *revisions*."""

    __slots__ = ("bound_rules", "grants", "revisions")

    def __init__(self, revisions: tuple[int, int, int, int]) -> None:
        self.revisions = revisions
        self.grants: dict[tuple[object, ...], _Grants] = {}
        self.bound_rules: dict[tuple[str, tuple[str, ...], str], tuple[BoundRule, ...]] = {}


class RbacAuthorizer:
    """Safe for any number of tasks: what two compute at once is equal."""

    def __init__(self, reader: ObjectReader) -> None:
        self._reader = reader
        self._cache = _Cache((-1, -1, -1, -1))

    def authorize(self, attributes: Attributes) -> Decision:
        user = attributes.user
        if MASTERS in user.groups:
            return _SUPERUSER
        # The path stands in for the resource: no resource has a slash at the start of its name.
        what = attributes.resource if attributes.path is None else attributes.path
        key = (
            user.name,
            user.groups,
            attributes.namespace,
            attributes.verb,
            attributes.group,
            what,
            attributes.subresource,
            attributes.path is None,
        )
        cache = self._current_cache()
        grants = cache.grants.get(key)
        if grants is None:
            grants = self._grants(cache, attributes)
            cache.grants[key] = grants
        return grants.decide(attributes.name)

    def rules_for(self, user: UserInfo, namespace: str) -> UserRules:
        bound = self._bound_rules(self._current_cache(), user, namespace)
        rules = tuple(each.rule for each in bound if each.rule is not None)
        return UserRules(rules, tuple(each.error for each in bound if each.error))

    def role_rules(self, role_ref: Object, namespace: str) -> tuple[PolicyRule, ...] | None:
        """The rules of the role that a binding refers to; None if there is no such role."""
        kind, name = role_ref.get("kind"), role_ref.get("name", "")
        if kind == "ClusterRole":
            role = self._reader.get(CLUSTER_ROLES, "", name)
        else:
            role = self._reader.get(ROLES, namespace, name) if kind == "Role" else None
        return None if role is None else policy_rules(role.get("rules"))

    def _current_cache(self) -> _Cache:
        revision_of, cache = self._reader.revision_of, self._cache
        revisions = (
            revision_of(CLUSTER_ROLE_BINDINGS),
            revision_of(CLUSTER_ROLES),
            revision_of(ROLE_BINDINGS),
            revision_of(ROLES),
        )
        if cache.revisions != revisions or len(cache.grants) > _MOST_CACHED:
            cache = self._cache = _Cache(revisions)
        return cache

    def _grants(self, cache: _Cache, attributes: Attributes) -> _Grants:
        bound = self._bound_rules(cache, attributes.user, attributes.namespace)
        allowing = [
            (frozenset(each.rule.resource_names) or None, Decision(True, f"RBAC: allowed by {each.source}"))  # noqa: FBT003 - the field is named
            for each in bound
            if each.rule is not None and _is_about(each.rule, attributes)
        ]
        if attributes.path is not None:
            allowing = [(None, decision) for _, decision in allowing]
        errors = [each.error for each in bound if each.error]
        return _Grants(tuple(allowing), Decision(False, f"RBAC: {joined_errors(errors)}" if errors else ""))  # noqa: FBT003 - as above

    def _bound_rules(self, cache: _Cache, user: UserInfo, namespace: str) -> tuple[BoundRule, ...]:
        key = (user.name, user.groups, namespace)
        bound = cache.bound_rules.get(key)
        if bound is None:
            bound = cache.bound_rules[key] = tuple(self._find_rules(user, namespace))
        return bound

    def _find_rules(self, user: UserInfo, namespace: str) -> Iterator[BoundRule]:
        for binding in self._reader.list(CLUSTER_ROLE_BINDINGS):
            yield from self._rules_of_binding(binding, user, "")
        if namespace:
            for binding in self._reader.list(ROLE_BINDINGS, namespace):
                yield from self._rules_of_binding(binding, user, namespace)

    def _rules_of_binding(self, binding: Object, user: UserInfo, namespace: str) -> Iterator[BoundRule]:
        subject = _matching_subject(binding.get("subjects") or (), user, namespace)
        if subject is None:
            return
        role_ref = binding.get("roleRef") or {}
        rules = self.role_rules(role_ref, namespace)
        if rules is None:
            yield BoundRule(None, error=_missing_role(role_ref))
            return
        source = _describe(binding, role_ref, subject, namespace)
        for rule in rules:
            yield BoundRule(rule, source)


def _is_about(rule: PolicyRule, attributes: Attributes) -> bool:
    if attributes.path is not None:
        return rule.allows_path(attributes.verb, attributes.path)
    return rule.is_about(attributes.verb, attributes.group, attributes.resource, attributes.subresource)


def _matching_subject(subjects: Iterable[Any], user: UserInfo, namespace: str) -> Object | None:
    for subject in subjects:
        kind, name = subject.get("kind"), subject.get("name")
        if kind == "User":
            applies = name == user.name
        elif kind == "Group":
            applies = name in user.groups
        else:
            home = subject.get("namespace") or namespace
            applies = kind == "ServiceAccount" and bool(home) and service_account_name(home, name) == user.name
        if applies:
            found: Object = subject
            return found
    return None


def _missing_role(role_ref: Object) -> str:
    kind = role_ref.get("kind", "")
    if kind not in {"Role", "ClusterRole"}:
        return f"unsupported role reference kind: {spelled_string(kind)}"
    return f"{kind.lower()}.{GROUP} {spelled_string(role_ref.get('name', ''))} not found"


def _describe(binding: Object, role_ref: Object, subject: Object, namespace: str) -> str:
    kind, name = (
        ("RoleBinding", f"{binding['metadata']['name']}/{namespace}")
        if namespace
        else ("ClusterRoleBinding", binding["metadata"]["name"])
    )
    who = subject["name"]
    if subject["kind"] == "ServiceAccount":
        who = f"{who}/{subject.get('namespace') or namespace}"
    role = f"{role_ref['kind']} {spelled_string(role_ref['name'])}"
    return f"{kind} {spelled_string(name)} of {role} to {subject['kind']} {spelled_string(who)}"
