"""Impersonate-* headers: acting as somebody else, as far as one is allowed to.

There are five ways to be allowed, tried in this order: as one's own node, any node, a service account or another user
for certain requests only (verbs `impersonate:MODE` and `impersonate-on:MODE:VERB`), and for all requests (verb
`impersonate`). The first refusal is the one that is told.
"""

from collections.abc import Callable, Mapping
from urllib.parse import unquote

import msgspec

from framework.apiserver import status
from framework.apiserver.auth.attributes import Attributes, Authorizer, forbidden, require
from framework.apiserver.auth.user import (
    ANONYMOUS,
    AUTHENTICATED,
    MASTERS,
    UNAUTHENTICATED,
    UserInfo,
    is_object_name,
    service_account_groups,
    split_service_account_name,
)
from framework.apiserver.spelling import spelled_string
from framework.errors import ApiError, Forbidden

# How the values of a header that was sent several times arrive. A group whose name has it counts as two, and each of
# them is checked.
_SEPARATOR = ", "

_GROUP = "authentication.k8s.io"
_EXTRA_PREFIX = "impersonate-extra-"
_NODE_PREFIX = "system:node:"
_NODES = "system:nodes"
_NODE_NAME = "authentication.kubernetes.io/node-name"
_MOST_REMEMBERED = 10_000


class _Mode(msgspec.Struct, frozen=True):
    """One way to be allowed; *name* is "" for the way that allows all requests."""

    name: str
    fits: Callable[[UserInfo, UserInfo], bool]

    def user(self, wanted: UserInfo, attributes: Attributes, authorizer: Authorizer) -> UserInfo:
        requestor = attributes.user
        if not self.name:
            return _checked_user(wanted, requestor, authorizer, "impersonate")
        on = msgspec.structs.replace(attributes, verb=f"impersonate-on:{self.name}:{attributes.verb}")
        require(authorizer, on)
        return _checked_user(wanted, requestor, authorizer, f"impersonate:{self.name}")


class Impersonation:
    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer = authorizer
        # The mode that last worked for each user is tried first, which decides which refusal is told.
        self._last_mode: dict[str, _Mode] = {}

    def user_for(self, headers: Mapping[str, str], attributes: Attributes) -> UserInfo:
        """Whom the request that *attributes* describe is to be done as; raises Forbidden or BadRequest."""
        wanted = _wanted_user(headers)
        if wanted is None:
            return attributes.user
        requestor = attributes.user
        last = self._last_mode.get(requestor.name)
        modes = (*([last] if last else []), *(mode for mode in _MODES if mode is not last))
        refusal: ApiError | None = None
        for mode in modes:
            if not mode.fits(wanted, requestor):
                continue
            try:
                user = mode.user(wanted, attributes, self._authorizer)
            except Forbidden as error:
                refusal = refusal or error
                continue
            self._remember(requestor.name, mode)
            return user
        # The last mode fits everybody, so there is one.
        raise refusal or status.unauthorized()

    def _remember(self, name: str, mode: _Mode) -> None:
        if len(self._last_mode) >= _MOST_REMEMBERED:
            self._last_mode.clear()
        self._last_mode[name] = mode


def _is_own_node(wanted: UserInfo, requestor: UserInfo) -> bool:
    own = requestor.extra.get(_NODE_NAME, ())
    return (
        _is_name_alone(wanted)
        and split_service_account_name(requestor.name) is not None
        and _node_name(wanted) is not None
        and own == (_node_name(wanted),)
    )


def _is_node(wanted: UserInfo, _requestor: UserInfo) -> bool:
    return _is_name_alone(wanted) and _node_name(wanted) is not None


def _is_service_account(wanted: UserInfo, _requestor: UserInfo) -> bool:
    return _is_name_alone(wanted) and split_service_account_name(wanted.name) is not None


def _is_other_user(wanted: UserInfo, _requestor: UserInfo) -> bool:
    return _node_name(wanted) is None and split_service_account_name(wanted.name) is None


_MODES = (
    _Mode("associated-node", _is_own_node),
    _Mode("arbitrary-node", _is_node),
    _Mode("serviceaccount", _is_service_account),
    _Mode("user-info", _is_other_user),
    _Mode("", lambda _wanted, _requestor: True),
)


def _wanted_user(headers: Mapping[str, str]) -> UserInfo | None:
    if not any(header.startswith("impersonate-") for header in headers):
        return None
    name, uid = headers.get("impersonate-user", ""), headers.get("impersonate-uid", "")
    groups = tuple(headers["impersonate-group"].split(_SEPARATOR)) if "impersonate-group" in headers else ()
    extra = {
        unquote(header.removeprefix(_EXTRA_PREFIX)): tuple(value.split(_SEPARATOR))
        for header, value in headers.items()
        if header.startswith(_EXTRA_PREFIX)
    }
    wanted = UserInfo(name, uid, groups, extra)
    if name:
        return wanted
    if uid or groups or extra:
        raise status.bad_request(f"requested {_in_go(wanted)} without impersonating a user name")
    return None


def _checked_user(wanted: UserInfo, requestor: UserInfo, authorizer: Authorizer, verb: str) -> UserInfo:
    """*wanted* with the groups that come with the name, if *requestor* may have each part of it."""
    is_constrained = verb != "impersonate"
    # Only the old verb knows users and groups as resources of the core group.
    asked = Attributes(user=requestor, verb=verb, group=_GROUP if is_constrained else "", version="v1")
    user = _check_name(wanted, asked, authorizer, is_constrained=is_constrained)
    other = msgspec.structs.replace(asked, group=_GROUP)
    if wanted.uid:
        require(authorizer, msgspec.structs.replace(other, resource="uids", name=wanted.uid))
    for group in wanted.groups:
        about = msgspec.structs.replace(asked, resource="groups", name=group)
        if is_constrained and group == MASTERS:
            raise forbidden(about, "impersonating the system:masters group is not allowed")
        require(authorizer, about)
    for key, values in wanted.extra.items():
        for value in values:
            require(authorizer, msgspec.structs.replace(other, resource="userextras", subresource=key, name=value))
    if user.name == ANONYMOUS:
        return user.with_group(UNAUTHENTICATED)
    return user if UNAUTHENTICATED in user.groups else user.with_group(AUTHENTICATED)


def _check_name(wanted: UserInfo, asked: Attributes, authorizer: Authorizer, *, is_constrained: bool) -> UserInfo:
    about, user = msgspec.structs.replace(asked, resource="users", name=wanted.name), wanted
    node, account = _node_name(wanted), split_service_account_name(wanted.name)
    if is_constrained and node is not None:
        about = msgspec.structs.replace(asked, resource="nodes", name=node)
        user = msgspec.structs.replace(wanted, groups=(_NODES,))
    elif account is not None:
        namespace, name = account
        about = msgspec.structs.replace(asked, resource="serviceaccounts", namespace=namespace, name=name)
        user = msgspec.structs.replace(wanted, groups=wanted.groups or service_account_groups(namespace))
    require(authorizer, about)
    return user


def _node_name(user: UserInfo) -> str | None:
    name = user.name.removeprefix(_NODE_PREFIX)
    return name if user.name.startswith(_NODE_PREFIX) and is_object_name(name) else None


def _is_name_alone(user: UserInfo) -> bool:
    return not (user.uid or user.groups or user.extra)


def _in_go(user: UserInfo) -> str:
    # The message of the real server is a print of its own structure.
    extra = ", ".join(f"{spelled_string(key)}:{_strings(values)}" for key, values in sorted(user.extra.items()))
    return (
        f'&user.DefaultInfo{{Name:"", UID:{spelled_string(user.uid)}, Groups:{_strings(user.groups)}, '
        f"Extra:map[string][]string{f'{{{extra}}}' if extra else '(nil)'}}}"
    )


def _strings(values: tuple[str, ...]) -> str:
    return f"[]string{{{', '.join(spelled_string(value) for value in values)}}}" if values else "[]string(nil)"
