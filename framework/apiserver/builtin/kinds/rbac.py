"""Roles and who has them."""

from collections.abc import Iterable
from typing import ClassVar

from framework.apiserver.builtin.strategy import BuiltinStrategy
from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each
from framework.apiserver.builtin.validation.selectors import label_selector
from framework.apiserver.fields import FieldError, invalid_value, required, unsupported
from framework.apiserver.objectmeta import NameRule, path_segment_name
from framework.apiserver.objects import Object

# What a name rule is told: nothing will be appended.
_IS_WHOLE = False
_GROUP = "rbac.authorization.k8s.io"
_SUBJECT_KINDS = ("ServiceAccount", "User", "Group")


class _RbacStrategy(BuiltinStrategy):
    allows_create_on_update = True
    rechecks_metadata = True

    def name_rule(self) -> NameRule:
        return path_segment_name


class RoleStrategy(_RbacStrategy):
    def problems(self, obj: Object) -> Errors:
        for position, rule in enumerate(obj.get("rules") or ()):
            yield from _rule(f"rules[{position}]", rule, is_namespaced=self._resource.is_namespaced)


class ClusterRoleStrategy(RoleStrategy):
    def problems(self, obj: Object) -> Errors:
        yield from super().problems(obj)
        aggregation = obj.get("aggregationRule")
        if aggregation is None:
            return
        path = "aggregationRule.clusterRoleSelectors"
        selectors = aggregation.get("clusterRoleSelectors", ())
        if not selectors:
            yield required(path, "at least one clusterRoleSelector required if aggregationRule is non-nil")
        for position, selector in enumerate(selectors):
            yield from label_selector(f"{path}[{position}]", selector)


def _rule(path: str, rule: Object, *, is_namespaced: bool) -> Errors:
    if not rule.get("verbs"):
        yield required(f"{path}.verbs", "verbs must contain at least one value")
    if urls := rule.get("nonResourceURLs"):
        if is_namespaced:
            detail = "namespaced rules cannot apply to non-resource URLs"
            yield invalid_value(f"{path}.nonResourceURLs", urls, detail)
        if rule.get("apiGroups") or rule.get("resources") or rule.get("resourceNames"):
            detail = "rules cannot apply to both regular resources and non-resource URLs"
            yield invalid_value(f"{path}.nonResourceURLs", urls, detail)
        return
    if not rule.get("apiGroups"):
        yield required(f"{path}.apiGroups", "resource rules must supply at least one api group")
    if not rule.get("resources"):
        yield required(f"{path}.resources", "resource rules must supply at least one resource")


class BindingStrategy(_RbacStrategy):
    role_kinds: ClassVar[tuple[str, ...]] = ("Role", "ClusterRole")

    def problems(self, obj: Object) -> Errors:
        reference = obj.get("roleRef", {})
        group, kind, name = (reference.get(field, "") for field in ("apiGroup", "kind", "name"))
        if group != _GROUP:
            yield unsupported("roleRef.apiGroup", group, [_GROUP])
        if kind not in self.role_kinds:
            yield unsupported("roleRef.kind", kind, self.role_kinds)
        if not name:
            yield required("roleRef.name")
        else:
            yield from each("roleRef.name", name, path_segment_name(name, _IS_WHOLE))
        for position, subject in enumerate(obj.get("subjects", ())):
            yield from _subject(f"subjects[{position}]", subject, is_namespaced=self._resource.is_namespaced)

    def update_problems(self, new: Object, old: Object) -> Iterable[FieldError]:
        if new.get("roleRef") == old.get("roleRef"):
            return ()
        reference = new.get("roleRef", {})
        # With the names that the server's own type has.
        shown = {name: reference.get(name[0].lower() + name[1:], "") for name in ("Kind", "Name")}
        shown = {"APIGroup": reference.get("apiGroup", ""), **shown}
        return [invalid_value("roleRef", shown, "cannot change roleRef")]


class ClusterRoleBindingStrategy(BindingStrategy):
    role_kinds = ("ClusterRole",)


def _subject(path: str, subject: Object, *, is_namespaced: bool) -> Errors:
    kind, name, group = (subject.get(field, "") for field in ("kind", "name", "apiGroup"))
    if not name:
        yield required(f"{path}.name")
    if kind not in _SUBJECT_KINDS:
        yield unsupported(f"{path}.kind", kind, _SUBJECT_KINDS)
    elif kind == "ServiceAccount":
        if name:
            yield from each(f"{path}.name", name, names.dns_subdomain(name))
        if group:
            yield unsupported(f"{path}.apiGroup", group, [""])
        if not is_namespaced and not subject.get("namespace"):
            yield required(f"{path}.namespace")
    elif group != _GROUP:
        yield unsupported(f"{path}.apiGroup", group, [_GROUP])
