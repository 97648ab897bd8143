"""Who asks, and which accounts there are for them."""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from apis.cfworker.workeraccount import WorkerAccount
from controllers.cfapi import failure
from controllers.cfapi.envelope import Reply
from controllers.cfapi.parts import Parts
from controllers.cfapi.request import CfRequest
from controllers.workers.names import LABEL_LENGTH, slug

_SUBDOMAIN = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_ROLES = ("Administrator",)


class Subdomain(msgspec.Struct, frozen=True):
    subdomain: str


class AccountEndpoints:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def user(self, request: CfRequest) -> Reply:
        identity = request.identity
        return Reply({"id": identity.id, "email": identity.email})

    def verify(self, request: CfRequest) -> Reply:
        return Reply({"id": request.identity.id, "status": "active"})

    def list(self, request: CfRequest) -> Reply:
        return Reply([_result(account) for account in self._allowed(request)], is_page=True)

    def get(self, request: CfRequest) -> Reply:
        return Reply(_result(request.account))

    def memberships(self, request: CfRequest) -> Reply:
        memberships = [
            {"id": account.metadata.uid, "status": "accepted", "account": _result(account), "roles": list(_ROLES)}
            for account in self._allowed(request)
        ]
        return Reply(memberships, is_page=True)

    def subdomain(self, request: CfRequest) -> Reply:
        return Reply({"subdomain": subdomain_of(request.account)})

    def set_subdomain(self, request: CfRequest) -> Reply:
        wanted = request.json(Subdomain).subdomain
        if not _SUBDOMAIN.fullmatch(wanted):
            raise failure.rejected(f"subdomain {wanted[:100]!r} is no label of a host name")
        account = request.account
        if account.spec.subdomain != wanted:
            self._parts.client.patch_spec(account, {"subdomain": wanted})
        return Reply({"subdomain": wanted})

    def _allowed(self, request: CfRequest) -> Sequence[WorkerAccount]:
        accounts = self._parts.catalogue.accounts()
        return [account for account in accounts if request.identity.may_use(account.metadata.name)]


def subdomain_of(account: WorkerAccount) -> str:
    return account.spec.subdomain or slug(account.metadata.name, LABEL_LENGTH)


def _result(account: WorkerAccount) -> dict[str, Any]:
    name = account.metadata.name
    return {"id": name, "name": account.spec.display_name or name}
