"""The kinds that answer a question instead of being stored: who am I, may I, whose token is this."""

from typing import Any

from framework.apiserver import status
from framework.apiserver.auth.attributes import Attributes, Authorizer
from framework.apiserver.auth.authenticator import Authenticator
from framework.apiserver.auth.policy_rule import PolicyRule
from framework.apiserver.auth.quoting import joined_errors
from framework.apiserver.auth.user import UserInfo
from framework.apiserver.fields import FieldError, invalid_value
from framework.apiserver.objects import GroupKind, Object
from framework.clock import Clock

_AUTHORIZATION = "authorization.k8s.io"
_AUTHENTICATION = "authentication.k8s.io"


class Reviews:
    def __init__(self, *, authenticator: Authenticator, authorizer: Authorizer, clock: Clock) -> None:
        self._authenticator = authenticator
        self._authorizer = authorizer
        self._clock = clock
        self._answers = {
            "SelfSubjectAccessReview": self._self_access,
            "SubjectAccessReview": self._access,
            "LocalSubjectAccessReview": self._local_access,
            "SelfSubjectRulesReview": self._rules,
            "TokenReview": self._token,
            "SelfSubjectReview": self._self,
        }

    def review(self, kind: str, obj: Object, user: UserInfo, namespace: str = "") -> Object:
        """*obj* with the answer in its status; *user* asks, *namespace* is that of the URL."""
        return self._answers[kind](obj, user, namespace)

    def _self_access(self, obj: Object, user: UserInfo, _namespace: str) -> Object:
        spec = obj.get("spec") or {}
        _refuse([*_spec_problems(spec), *_metadata_problems(obj, "must be empty")])
        return self._with_decision(obj, _attributes(spec, user))

    def _access(self, obj: Object, _user: UserInfo, _namespace: str) -> Object:
        spec = obj.get("spec") or {}
        _refuse([*_subject_problems(spec), *_metadata_problems(obj, "must be empty")])
        return self._with_decision(obj, _attributes(spec, _subject(spec)))

    def _local_access(self, obj: Object, _user: UserInfo, namespace: str) -> Object:
        spec, metadata = obj.get("spec") or {}, obj.get("metadata") or {}
        problems = [*_subject_problems(spec), *_metadata_problems(obj, "must be empty except for namespace")]
        asked = spec.get("resourceAttributes")
        if asked is not None and asked.get("namespace", "") != metadata.get("namespace", ""):
            field = "spec.resourceAttributes.namespace"
            problems.append(invalid_value(field, asked.get("namespace", ""), "must match metadata.namespace"))
        if (path := spec.get("nonResourceAttributes")) is not None:
            why = "disallowed on this kind of request"
            problems.append(invalid_value("spec.nonResourceAttributes", _internal(path), why))
        _refuse(problems)
        if namespace != metadata.get("namespace", ""):
            raise status.bad_request(f"spec.resourceAttributes.namespace must match namespace: {namespace}")
        return self._with_decision(obj, _attributes(spec, _subject(spec)))

    def _with_decision(self, obj: Object, attributes: Attributes) -> Object:
        decision = self._authorizer.authorize(attributes)
        answer: Object = {"allowed": decision.allowed}
        if decision.reason:
            answer["reason"] = decision.reason
        return {**obj, "status": answer}

    def _rules(self, obj: Object, user: UserInfo, _namespace: str) -> Object:
        namespace = (obj.get("spec") or {}).get("namespace")
        if not namespace:
            raise status.bad_request("no namespace on request")
        found = self._authorizer.rules_for(user, namespace)
        answer: Object = {
            "resourceRules": [_resource_rule(rule) for rule in found.rules if rule.resources],
            "nonResourceRules": [_path_rule(rule) for rule in found.rules if rule.non_resource_urls],
            "incomplete": False,
        }
        if found.errors:
            answer["evaluationError"] = joined_errors(found.errors)
        return {**_head(_AUTHORIZATION, "SelfSubjectRulesReview"), "metadata": {}, "spec": {}, "status": answer}

    def _token(self, obj: Object, _user: UserInfo, _namespace: str) -> Object:
        spec = obj.get("spec") or {}
        if not spec.get("token"):
            raise status.bad_request("token is required for TokenReview in authentication")
        found = self._authenticator.review_token(spec["token"], spec.get("audiences") or ())
        if found.user is None:
            return {**obj, "status": {"user": {}, "error": found.error}}
        answer: Object = {"authenticated": True, "user": found.user.document()}
        if found.audiences:
            answer["audiences"] = list(found.audiences)
        return {**obj, "status": answer}

    def _self(self, _obj: Object, user: UserInfo, _namespace: str) -> Object:
        now = self._clock.now().strftime("%Y-%m-%dT%H:%M:%SZ")
        return {
            **_head(_AUTHENTICATION, "SelfSubjectReview"),
            "metadata": {"creationTimestamp": now},
            "status": {"userInfo": user.document()},
        }


def _head(group: str, kind: str) -> Object:
    return {"kind": kind, "apiVersion": f"{group}/v1"}


def _attributes(spec: Object, user: UserInfo) -> Attributes:
    if (asked := spec.get("resourceAttributes")) is None:
        path = spec["nonResourceAttributes"]
        return Attributes(user=user, verb=path.get("verb", ""), path=path.get("path", ""))
    fields = ("verb", "group", "resource", "subresource", "namespace", "name")
    return Attributes(
        user=user, version=asked.get("version") or "*", **{field: asked.get(field) or "" for field in fields}
    )


def _subject(spec: Object) -> UserInfo:
    extra = {key: tuple(values or ()) for key, values in (spec.get("extra") or {}).items()}
    return UserInfo(spec.get("user") or "", spec.get("uid") or "", tuple(spec.get("groups") or ()), extra)


def _spec_problems(spec: Object) -> list[FieldError]:
    resource, path = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is not None and path is not None:
        why = "cannot be specified in combination with resourceAttributes"
        return [invalid_value("spec.nonResourceAttributes", _internal(path), why)]
    if resource is None and path is None:
        why = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        return [invalid_value("spec.resourceAttributes", None, why)]
    return []


def _internal(path: Object) -> Object:
    # As the real server's own type, which has other names for its fields, prints it.
    return {"Path": path.get("path", ""), "Verb": path.get("verb", "")}


def _subject_problems(spec: Object) -> list[FieldError]:
    problems = _spec_problems(spec)
    if not spec.get("user") and not spec.get("groups"):
        problems.append(invalid_value("spec.user", "", "at least one of user or group must be specified"))
    return problems


def _metadata_problems(obj: Object, why: str) -> list[FieldError]:
    metadata: Any = obj.get("metadata") or {}
    ignored = {"managedFields", "creationTimestamp"} | ({"namespace"} if "namespace" in why else set())
    return [invalid_value("metadata", metadata, why)] if metadata.keys() - ignored else []


def _refuse(problems: list[FieldError]) -> None:
    if problems:
        raise status.invalid(GroupKind(_AUTHORIZATION, ""), "", problems)


def _resource_rule(rule: PolicyRule) -> Object:
    document: Object = {
        "verbs": list(rule.verbs),
        "apiGroups": list(rule.api_groups),
        "resources": list(rule.resources),
    }
    if rule.resource_names:
        document["resourceNames"] = list(rule.resource_names)
    return document


def _path_rule(rule: PolicyRule) -> Object:
    return {"verbs": list(rule.verbs), "nonResourceURLs": list(rule.non_resource_urls)}
