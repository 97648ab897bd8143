"""Who may come in: authentication, impersonation, authorization."""

from framework.apiserver.auth import Attributes, Authenticator, Authorizer, Impersonation, UserInfo, require
from framework.apiserver.rest.request_info import RequestInfo
from framework.http.exchange import ServerRequest


class Gate:
    def __init__(self, authenticator: Authenticator, authorizer: Authorizer) -> None:
        self._authenticator = authenticator
        self._authorizer = authorizer
        self._impersonation = Impersonation(authorizer)

    def enter(self, request: ServerRequest, info: RequestInfo) -> UserInfo:
        """Whose request it is; Unauthorized or Forbidden if it may not be made."""
        attributes = attributes_of(self._authenticator.authenticate(request.headers, request.peer), info)
        user = self._impersonation.user_for(request.headers, attributes)
        if user is not attributes.user:
            attributes = attributes_of(user, info)
        require(self._authorizer, attributes)
        return user


def attributes_of(user: UserInfo, info: RequestInfo) -> Attributes:
    if not info.is_resource:
        return Attributes(user=user, verb=info.verb, path=info.path)
    return Attributes(
        user=user,
        verb=info.verb,
        group=info.group,
        version=info.version,
        resource=info.resource,
        subresource=info.subresource,
        namespace=info.namespace,
        name=info.name or info.selected_name,
    )
