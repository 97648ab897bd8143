"""Nobody grants what they do not have: the checks on writes of roles and bindings."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import product

import msgspec

from framework.apiserver import status
from framework.apiserver.auth.attributes import Attributes, UserRules
from framework.apiserver.auth.policy_rule import ALL, EVERYTHING, PolicyRule, covers_path, policy_rules
from framework.apiserver.auth.quoting import joined_errors, quoted_list
from framework.apiserver.auth.rbac import (
    CLUSTER_ROLE_BINDINGS,
    CLUSTER_ROLES,
    GROUP,
    ROLE_BINDINGS,
    ROLES,
    RbacAuthorizer,
)
from framework.apiserver.auth.user import MASTERS, UserInfo
from framework.apiserver.objects import GroupResource, Object
from framework.apiserver.spelling import spelled_string
from framework.errors import ApiError

# What the garbage collector and the server itself change; nobody gains rights by it.
_HARMLESS_METADATA = frozenset({"ownerReferences", "finalizers", "selfLink", "managedFields"})


class RoleWrite(msgspec.Struct, frozen=True, kw_only=True):
    """One create (*old* is None) or update of a role or binding; *name* is that in the URL, "" for a POST."""

    resource: GroupResource
    user: UserInfo
    namespace: str = ""
    name: str = ""
    old: Object | None = None
    new: Object


def escalation_error(write: RoleWrite, authorizer: RbacAuthorizer) -> ApiError | None:
    """Why the real server would refuse *write*; None for anything that is no role or binding.

    Only for servers with RBAC on: who may do everything may also escalate.
    """
    if MASTERS in write.user.groups or (write.old is not None and _changes_nothing_granted(write.old, write.new)):
        return None
    if write.resource in {ROLES, CLUSTER_ROLES}:
        return _role_error(write, authorizer)
    if write.resource in {ROLE_BINDINGS, CLUSTER_ROLE_BINDINGS}:
        return _binding_error(write, authorizer)
    return None


def _role_error(write: RoleWrite, authorizer: RbacAuthorizer) -> ApiError | None:
    if _is_allowed(write, authorizer, "escalate", write.resource.resource, write.name):
        return None
    held = authorizer.rules_for(write.user, write.namespace)
    if error := _missing_rights(write, held, policy_rules(write.new.get("rules"))):
        return error
    # An aggregate can gather anything.
    if (_is_aggregate(write.new) or _is_aggregate(write.old)) and list(_uncovered(held.rules, EVERYTHING)):
        return _refusal(write, "must have cluster-admin privileges to use the aggregationRule")
    return None


def _binding_error(write: RoleWrite, authorizer: RbacAuthorizer) -> ApiError | None:
    role_ref = write.new.get("roleRef") or {}
    kind, name = role_ref.get("kind", ""), role_ref.get("name", "")
    if kind not in {"Role", "ClusterRole"}:
        return status.internal_error(f"unsupported role reference kind: {spelled_string(kind)}")
    resource = f"{kind.lower()}s"
    if _is_allowed(write, authorizer, "bind", resource, name):
        return None
    rules = authorizer.role_rules(role_ref, write.namespace)
    if rules is None:
        # The real server, too, says that the binding of that name is missing.
        return status.not_found(write.resource, name)
    return _missing_rights(write, authorizer.rules_for(write.user, write.namespace), rules)


def _is_allowed(write: RoleWrite, authorizer: RbacAuthorizer, verb: str, resource: str, name: str) -> bool:
    attributes = Attributes(
        user=write.user,
        verb=verb,
        group=GROUP,
        version=ALL,
        resource=resource,
        namespace=write.namespace,
        name=name,
    )
    return authorizer.authorize(attributes).allowed


def _missing_rights(write: RoleWrite, held: UserRules, wanted: Sequence[PolicyRule]) -> ApiError | None:
    missing = list(_uncovered(held.rules, wanted))
    if not missing:
        return None
    lines = "\n".join(sorted({str(rule) for rule in _compact(missing)}))
    user = write.user
    why = (
        f"user {spelled_string(user.name)} (groups={quoted_list(user.groups)}) is attempting to grant RBAC permissions "
        f"not currently held:\n{lines}"
    )
    if held.errors:
        why = f"{why}; resolution errors: [{joined_errors(held.errors)}]"
    return _refusal(write, why)


def _refusal(write: RoleWrite, why: str) -> ApiError:
    return status.forbidden(write.resource, write.new["metadata"].get("name", ""), why)


def _is_aggregate(role: Object | None) -> bool:
    return bool(((role or {}).get("aggregationRule") or {}).get("clusterRoleSelectors"))


def _changes_nothing_granted(old: Object, new: Object) -> bool:
    return _granting_part(old) == _granting_part(new)


def _granting_part(obj: Object) -> Object:
    metadata = {name: value for name, value in obj["metadata"].items() if name not in _HARMLESS_METADATA}
    return {**obj, "metadata": metadata}


def _uncovered(held: Sequence[PolicyRule], wanted: Iterable[PolicyRule]) -> Iterator[PolicyRule]:
    """The rights in *wanted*, one by one, that no single rule of *held* covers."""
    for rule in wanted:
        for right in _single_rights(rule):
            if not any(_covers(each, right) for each in held):
                yield right


def _single_rights(rule: PolicyRule) -> Iterator[PolicyRule]:
    names: Sequence[tuple[str, ...]] = [(name,) for name in rule.resource_names] or [()]
    for group, resource, verb, name in product(rule.api_groups, rule.resources, rule.verbs, names):
        yield PolicyRule((verb,), (group,), (resource,), name)
    for url, verb in product(rule.non_resource_urls, rule.verbs):
        yield PolicyRule((verb,), non_resource_urls=(url,))


def _covers(rule: PolicyRule, right: PolicyRule) -> bool:
    """Whether *rule* covers *right*, which has one verb and one resource or path."""
    return (
        _has(rule.verbs, right.verbs)
        and _has(rule.api_groups, right.api_groups)
        and (_has(rule.resources, right.resources) or _has_subresource(rule.resources, right.resources))
        and (
            not rule.resource_names
            or (bool(right.resource_names) and set(right.resource_names) <= set(rule.resource_names))
        )
        and all(any(covers_path(held, path) for held in rule.non_resource_urls) for path in right.non_resource_urls)
    )


def _has(held: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return ALL in held or set(wanted) <= set(held)


def _has_subresource(held: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return all("/" in path and f"*/{path.partition('/')[2]}" in held for path in wanted)


def _compact(rights: Iterable[PolicyRule]) -> Iterator[PolicyRule]:
    """One rule for each resource and name, with all its verbs."""
    verbs: dict[PolicyRule, list[str]] = {}
    for right in rights:
        if right.non_resource_urls:
            yield right
        else:
            verbs.setdefault(msgspec.structs.replace(right, verbs=()), []).extend(right.verbs)
    for rule, all_verbs in verbs.items():
        yield msgspec.structs.replace(rule, verbs=tuple(all_verbs))
