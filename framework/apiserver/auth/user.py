"""Who makes a request."""

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import msgspec

ANONYMOUS = "system:anonymous"
AUTHENTICATED = "system:authenticated"
UNAUTHENTICATED = "system:unauthenticated"
MASTERS = "system:masters"
SERVICE_ACCOUNTS = "system:serviceaccounts"

_SERVICE_ACCOUNT_PREFIX = "system:serviceaccount:"
_LABEL = r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_NAMESPACE = re.compile(_LABEL)
_ACCOUNT_NAME = re.compile(rf"(?=.{{1,253}}$){_LABEL}(\.{_LABEL})*")
_NO_EXTRA: Mapping[str, tuple[str, ...]] = MappingProxyType({})


class UserInfo(msgspec.Struct, frozen=True):
    name: str
    uid: str = ""
    groups: tuple[str, ...] = ()
    extra: Mapping[str, tuple[str, ...]] = _NO_EXTRA

    def document(self) -> dict[str, Any]:
        """As reviews and admission webhooks show it."""
        document: dict[str, Any] = {"username": self.name} if self.name else {}
        if self.uid:
            document["uid"] = self.uid
        if self.groups:
            document["groups"] = list(self.groups)
        if self.extra:
            document["extra"] = {key: list(values) for key, values in self.extra.items()}
        return document

    def with_group(self, group: str) -> "UserInfo":
        if group in self.groups:
            return self
        return msgspec.structs.replace(self, groups=(*self.groups, group))


def anonymous() -> UserInfo:
    return UserInfo(ANONYMOUS, groups=(UNAUTHENTICATED,))


def service_account_name(namespace: str, name: str) -> str:
    return f"{_SERVICE_ACCOUNT_PREFIX}{namespace}:{name}"


def service_account_groups(namespace: str) -> tuple[str, ...]:
    return (SERVICE_ACCOUNTS, f"{SERVICE_ACCOUNTS}:{namespace}")


def split_service_account_name(user_name: str) -> tuple[str, str] | None:
    """Namespace and name, if that is what *user_name* is made of."""
    if not user_name.startswith(_SERVICE_ACCOUNT_PREFIX):
        return None
    namespace, _, name = user_name.removeprefix(_SERVICE_ACCOUNT_PREFIX).partition(":")
    if _NAMESPACE.fullmatch(namespace) and _ACCOUNT_NAME.fullmatch(name):
        return namespace, name
    return None


def is_object_name(name: str) -> bool:
    """Whether nodes and most other objects may be called so."""
    return _ACCOUNT_NAME.fullmatch(name) is not None
