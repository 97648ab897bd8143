"""Secrets of scripts: their names can be seen, their values only set."""

import msgspec

from apis.cfworker.workerdeployment import WorkerDeployment
from controllers.cfapi import failure
from controllers.cfapi.envelope import Reply
from controllers.cfapi.parts import Parts
from controllers.cfapi.request import CfRequest
from controllers.cfapi.secret_names import check_secret, check_secret_name

_TYPE = "secret_text"


class SecretInput(msgspec.Struct, frozen=True):
    text: str
    name: str = ""
    type: str = _TYPE

    def __repr__(self) -> str:
        return f"SecretInput({self.name!r})"


class SecretsPatch(msgspec.Struct, frozen=True):
    secrets: dict[str, SecretInput | None]


class SecretEndpoints:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def list(self, request: CfRequest) -> Reply:
        names = self._parts.secrets.names(self._deployment(request), request.account_name)
        return Reply([_result(name) for name in names], is_page=True)

    def get(self, request: CfRequest) -> Reply:
        return Reply(_result(self._existing(request, self._deployment(request))))

    def put(self, request: CfRequest) -> Reply:
        given = request.json(SecretInput)
        self._change(request, {given.name: given})
        return Reply(_result(given.name))

    def delete(self, request: CfRequest) -> Reply:
        deployment = self._deployment(request)
        self._parts.secrets.change(deployment, request.account_name, {self._existing(request, deployment): None})
        return Reply(None)

    def bulk(self, request: CfRequest) -> Reply:
        self._change(request, request.json(SecretsPatch).secrets)
        return self.list(request)

    def _change(self, request: CfRequest, given: dict[str, SecretInput | None]) -> None:
        for name, secret in given.items():
            _check(name, secret)
        deployment = self._deployment(request)
        _check_free(deployment, given)
        values = {name: None if secret is None else secret.text for name, secret in given.items()}
        self._parts.secrets.change(deployment, request.account_name, values)

    def _existing(self, request: CfRequest, deployment: WorkerDeployment) -> str:
        name = request.parameters["name"]
        check_secret_name(name)
        if name not in self._parts.secrets.names(deployment, request.account_name):
            raise failure.CfError(404, failure.SECRET_ABSENT, f"there is no secret {name}")
        return name

    def _deployment(self, request: CfRequest) -> WorkerDeployment:
        return self._parts.catalogue.get(request.account_name, request.script)


def _check(name: str, secret: SecretInput | None) -> None:
    if secret is None:
        check_secret_name(name)
        return
    if secret.type != _TYPE:
        raise failure.unsupported(f"secret {name[:100]!r} of type {secret.type[:100]!r}")
    check_secret(name, secret.text)


def _check_free(deployment: WorkerDeployment, given: dict[str, SecretInput | None]) -> None:
    for binding in deployment.spec.template.bindings:
        if given.get(binding.name) is not None:
            message = f"{binding.name} is a {binding.type.value} binding of this Worker already"
            raise failure.CfError(400, failure.BAD_SECRET, message)


def _result(name: str) -> dict[str, str]:
    return {"name": name, "type": _TYPE}
