"""Who makes a request and what they may do: authentication, impersonation, RBAC, reviews.

Guarantees: users, groups, decisions and the messages of refusals are those
of the real server; a change to a role, a binding, a service account or what
a token is bound to counts from the next request on; how long the check of a
token takes tells nothing about other tokens.
Not guaranteed: rights beyond what RBAC knows (there is no node authorizer),
authentication by OIDC, webhooks, proxies or bootstrap tokens.
"""

from framework.apiserver.auth.aggregation import aggregated_rules
from framework.apiserver.auth.attributes import (
    AlwaysAllow,
    Attributes,
    Authorizer,
    Decision,
    UserRules,
    forbidden,
    require,
)
from framework.apiserver.auth.authenticator import Authenticator, TokenAnswer
from framework.apiserver.auth.bootstrap import bootstrap_roles
from framework.apiserver.auth.escalation import RoleWrite, escalation_error
from framework.apiserver.auth.impersonation import Impersonation
from framework.apiserver.auth.policy_rule import PolicyRule
from framework.apiserver.auth.rbac import RbacAuthorizer
from framework.apiserver.auth.reviews import Reviews
from framework.apiserver.auth.service_account_tokens import ServiceAccountTokens
from framework.apiserver.auth.signing_key import SigningKey, new_pem
from framework.apiserver.auth.token_request import TokenRequests
from framework.apiserver.auth.user import UserInfo

__all__ = [
    "AlwaysAllow",
    "Attributes",
    "Authenticator",
    "Authorizer",
    "Decision",
    "Impersonation",
    "PolicyRule",
    "RbacAuthorizer",
    "Reviews",
    "RoleWrite",
    "ServiceAccountTokens",
    "SigningKey",
    "TokenAnswer",
    "TokenRequests",
    "UserInfo",
    "UserRules",
    "aggregated_rules",
    "bootstrap_roles",
    "escalation_error",
    "forbidden",
    "new_pem",
    "require",
]
