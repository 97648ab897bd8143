"""The secrets of a script: one Secret, one key for each. Values come in and never go out."""

import base64
from collections.abc import Mapping

from apis.cfworker.workerdeployment import WorkerDeployment
from apis.core.v1 import Secret
from apis.meta import Key, ObjectMeta, controller_reference
from controllers.cfapi import failure
from controllers.cfapi.secret_names import check_secret
from controllers.workers.keys import ACCOUNT, ACCOUNTS, SCRIPTS
from controllers.workers.names import script_secret_name
from framework.client import Client
from framework.errors import NotFound

_TYPE = "Opaque"


class ScriptSecrets:
    def __init__(self, client: Client, namespace: str) -> None:
        self._client = client
        self._namespace = namespace

    def names(self, deployment: WorkerDeployment, account: str) -> list[str]:
        """Sorted; none if there is no Secret."""
        secret = self._find(deployment, account)
        return [] if secret is None else sorted(secret.data)

    def change(self, deployment: WorkerDeployment, account: str, values: Mapping[str, str | None]) -> None:
        """Set each of *values*, or delete it where it is None; the others stay as they are."""
        for name, value in values.items():
            check_secret(name, value or "")
        secret = self._find(deployment, account)
        if secret is None:
            self._create(deployment, account, values)
            return
        data = {name: _encoded(value) for name, value in values.items()}
        self._client.merge_patch(Secret, secret.key, {"data": data}, uid=secret.metadata.uid)

    def ensure(self, deployment: WorkerDeployment, account: str, values: Mapping[str, str]) -> None:
        """Have a Secret, so that what refers to it finds it, with at least *values*."""
        if values or self._find(deployment, account) is None:
            self.change(deployment, account, values)

    def _find(self, deployment: WorkerDeployment, account: str) -> Secret | None:
        key = self._key(account, deployment.spec.template.script_name)
        try:
            secret = self._client.get(Secret, key)
        except NotFound:
            return None
        _check_account(secret, account)
        owner = secret.metadata.controller_owner
        if owner is None or owner.uid == deployment.metadata.uid:
            return secret
        # Of a script of that name that was deleted: the collector of garbage has not come by yet, and what is put
        # into it would go with it.
        self._client.delete(Secret, key, uid=secret.metadata.uid)
        return None

    def _create(self, deployment: WorkerDeployment, account: str, values: Mapping[str, str | None]) -> None:
        script = deployment.spec.template.script_name
        key = self._key(account, script)
        metadata = ObjectMeta(
            name=key.name,
            namespace=key.namespace,
            labels={ACCOUNT: account, ACCOUNTS: account, SCRIPTS: script},
            owner_references=[controller_reference(deployment)],
        )
        data = {name: value.encode() for name, value in values.items() if value is not None}
        self._client.create(Secret(metadata=metadata, type=_TYPE, data=data))

    def _key(self, account: str, script: str) -> Key:
        return Key(self._namespace, script_secret_name(account, script))


def _check_account(secret: Secret, account: str) -> None:
    label = secret.metadata.labels.get(ACCOUNT)
    if label is not None and label != account:
        raise failure.forbidden(f"Secret {secret.metadata.name} is of another account")


def _encoded(value: str | None) -> str | None:
    return None if value is None else base64.b64encode(value.encode()).decode()
