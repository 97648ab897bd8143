"""What there is: accounts, scripts and releases. All but accounts is read live: replicas must agree at once."""

from collections.abc import Sequence
from typing import Protocol

from apis.cfworker.script import Binding
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease
from apis.meta import Key
from controllers.cfapi import failure
from controllers.cfapi.version import Version, versions_of
from controllers.workers.keys import ACCOUNT
from controllers.workers.names import script_object_name
from framework.client import Client
from framework.errors import NotFound


class Accounts(Protocol):
    def get(self, key: Key) -> WorkerAccount | None: ...

    def list(self) -> list[WorkerAccount]: ...


class Catalogue:
    """The objects of one namespace; what is being deleted is not there any more."""

    def __init__(self, client: Client, namespace: str, accounts: Accounts) -> None:
        self._client = client
        self._namespace = namespace
        self._accounts = accounts

    def account(self, name: str) -> WorkerAccount:
        """Raises what to answer if there is none."""
        account = self._accounts.get(Key(self._namespace, name))
        if account is None or account.metadata.is_being_deleted:
            raise failure.no_account(name)
        return account

    def accounts(self) -> list[WorkerAccount]:
        """By name."""
        there = [account for account in self._accounts.list() if not account.metadata.is_being_deleted]
        return sorted(there, key=lambda account: account.metadata.name)

    def find(self, account: str, script: str) -> WorkerDeployment | None:
        deployment = self.find_any(account, script)
        return None if deployment is None or deployment.metadata.is_being_deleted else deployment

    def find_any(self, account: str, script: str) -> WorkerDeployment | None:
        """Also one that is being deleted."""
        try:
            deployment = self._client.get(WorkerDeployment, self.key(account, script))
        except NotFound:
            return None
        check_account(deployment, account)
        return deployment

    def get(self, account: str, script: str) -> WorkerDeployment:
        """Raises what to answer if there is none."""
        deployment = self.find(account, script)
        if deployment is None:
            raise failure.worker_absent(script)
        return deployment

    def deployments(self, account: str) -> list[WorkerDeployment]:
        """All scripts of *account*, by name."""
        found = self._client.list(WorkerDeployment, self._namespace, labels=f"{ACCOUNT}={account}")
        there = [each for each in found if not each.metadata.is_being_deleted]
        return sorted(there, key=lambda each: each.spec.template.script_name)

    def versions(self, deployment: WorkerDeployment) -> list[Version]:
        """Newest first."""
        # Releases have the labels of what they were made of.
        return _versions(deployment, self._releases(deployment.metadata.labels.get(ACCOUNT, "")))

    def active_bindings(self, account: str) -> dict[str, Sequence[Binding]]:
        """By script, those of the version that is to serve."""
        releases = self._releases(account)
        bindings: dict[str, Sequence[Binding]] = {}
        for deployment in self.deployments(account):
            name = active_name(deployment)
            active = [version for version in _versions(deployment, releases) if version.is_named(name)]
            bindings[deployment.spec.template.script_name] = active[0].script.bindings if active else ()
        return bindings

    def version(self, deployment: WorkerDeployment, version_id: str) -> Version:
        """Raises what to answer if there is none."""
        for version in self.versions(deployment):
            if version.is_named(version_id):
                return version
        raise failure.version_absent(version_id)

    def _releases(self, account: str) -> list[WorkerRelease]:
        releases = self._client.list(WorkerRelease, self._namespace, labels=f"{ACCOUNT}={account}" if account else "")
        return [release for release in releases if not release.metadata.is_being_deleted]

    def key(self, account: str, script: str) -> Key:
        return Key(self._namespace, script_object_name(account, script))


def active_name(deployment: WorkerDeployment) -> str:
    """Id or name of the version that is to serve; empty if only the controller could tell."""
    spec = deployment.spec
    return spec.active_release or spec.template.version_id or deployment.status.active_release


def check_account(deployment: WorkerDeployment, account: str) -> None:
    """Whatever has the name that an account's script would have must be that account's."""
    label = deployment.metadata.labels.get(ACCOUNT)
    if label is not None and label != account:
        raise failure.forbidden(f"WorkerDeployment {deployment.metadata.name} is of another account")


def _versions(deployment: WorkerDeployment, releases: Sequence[WorkerRelease]) -> list[Version]:
    return versions_of(deployment, [release for release in releases if _is_owned(release, deployment)])


def _is_owned(release: WorkerRelease, deployment: WorkerDeployment) -> bool:
    owner = release.metadata.controller_owner
    return owner is not None and owner.uid == deployment.metadata.uid
