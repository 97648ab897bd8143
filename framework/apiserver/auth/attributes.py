"""What an authorizer is asked, what it answers, and how a refusal is worded."""

from typing import Protocol

import msgspec

from framework.apiserver import status
from framework.apiserver.auth.policy_rule import EVERYTHING, PolicyRule
from framework.apiserver.auth.user import UserInfo
from framework.apiserver.objects import GroupResource
from framework.apiserver.spelling import spelled_string
from framework.errors import ApiError

# A browser must not take a message for HTML.
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})


class Attributes(msgspec.Struct, frozen=True, kw_only=True):
    """One request in the words of an authorizer; with *path* it is about no resource."""

    user: UserInfo
    verb: str
    group: str = ""
    version: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    path: str | None = None


class Decision(msgspec.Struct, frozen=True):
    allowed: bool
    # What reviews show; behind the message of a refusal.
    reason: str = ""


class UserRules(msgspec.Struct, frozen=True):
    """What a user may do in a namespace; *errors* tell why it may be more."""

    rules: tuple[PolicyRule, ...]
    errors: tuple[str, ...] = ()


class Authorizer(Protocol):
    def authorize(self, attributes: Attributes) -> Decision: ...

    def rules_for(self, user: UserInfo, namespace: str) -> UserRules: ...


class AlwaysAllow:
    """The switch that turns authorization off."""

    def authorize(self, attributes: Attributes) -> Decision:  # noqa: ARG002 - the Protocol's signature
        return Decision(allowed=True)

    def rules_for(self, user: UserInfo, namespace: str) -> UserRules:  # noqa: ARG002 - the Protocol's signature
        return UserRules(EVERYTHING)


def require(authorizer: Authorizer, attributes: Attributes) -> None:
    """Raise Forbidden, as the real server words it, unless the request is allowed."""
    decision = authorizer.authorize(attributes)
    if not decision.allowed:
        raise forbidden(attributes, decision.reason)


def forbidden(attributes: Attributes, reason: str = "") -> ApiError:
    message = _message(attributes).translate(_ESCAPES)
    resource = GroupResource(attributes.group, attributes.resource)
    return status.forbidden(resource, attributes.name, f"{message}: {reason}" if reason else message)


def _message(attributes: Attributes) -> str:
    who = f"User {spelled_string(attributes.user.name)} cannot {attributes.verb}"
    if attributes.path is not None:
        return f"{who} path {spelled_string(attributes.path)}"
    resource = attributes.resource
    if attributes.subresource:
        resource = f"{resource}/{attributes.subresource}"
    what = f"resource {spelled_string(resource)} in API group {spelled_string(attributes.group)}"
    if attributes.namespace:
        return f"{who} {what} in the namespace {spelled_string(attributes.namespace)}"
    return f"{who} {what} at the cluster scope"
