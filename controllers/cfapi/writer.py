"""Writes WorkerDeployments: one conditional patch at a time, tried again when somebody else was quicker."""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from apis.cfworker.workerdeployment import ScriptTemplate, WorkerDeployment, WorkerDeploymentSpec
from apis.meta import ObjectMeta
from controllers.cfapi import failure
from controllers.cfapi.catalogue import Catalogue
from framework.client import Client
from framework.errors import AlreadyExists, Conflict, NotFound

# A merge patch keeps what it does not name; of these, what a new version does not have must go.
_VERSIONED_FIELDS = ("compatibilityDate", "compatibilityFlags", "mainModule", "bindings", "scriptsUrls", "secretRef")


class Change(msgspec.Struct, frozen=True, kw_only=True):
    """What is to become of a WorkerDeployment; None and empty: as it is."""

    template: ScriptTemplate | None = None
    active_release: str | None = None
    labels: Mapping[str, str] = {}
    # None takes an annotation away.
    annotations: Mapping[str, str | None] = {}

    def as_patch(self) -> dict[str, Any]:
        patch: dict[str, Any] = {"metadata": {"labels": self.labels, "annotations": self.annotations}}
        spec: dict[str, Any] = {}
        if self.template is not None:
            spec["template"] = {**dict.fromkeys(_VERSIONED_FIELDS), **msgspec.to_builtins(self.template)}
        if self.active_release is not None:
            spec["activeRelease"] = self.active_release
        return {**patch, "spec": spec} if spec else patch


class DeploymentWriter:
    def __init__(self, client: Client, catalogue: Catalogue, *, retries: int) -> None:
        self._client = client
        self._catalogue = catalogue
        self._retries = retries

    def change(self, account: str, script: str, decide: Callable[[WorkerDeployment], Change]) -> WorkerDeployment:
        """Have *decide* look at what is there now, as often as it takes; raises what to answer if nothing is."""
        for _ in range(1 + self._retries):
            deployment = self._catalogue.get(account, script)
            try:
                return self.patch(deployment, decide(deployment))
            except (Conflict, NotFound):
                continue
        raise _too_busy(script)

    def patch(self, deployment: WorkerDeployment, change: Change) -> WorkerDeployment:
        """Raises Conflict if *deployment* is not what is there now."""
        metadata = deployment.metadata
        return self._client.merge_patch(
            WorkerDeployment,
            metadata.key,
            change.as_patch(),
            resource_version=metadata.resource_version,
            uid=metadata.uid,
        )

    def create(self, account: str, script: str, change: Change) -> WorkerDeployment:
        """Raises AlreadyExists if somebody else was quicker."""
        if change.template is None:
            raise ValueError("a script needs a version")
        key = self._catalogue.key(account, script)
        metadata = ObjectMeta(
            name=key.name,
            namespace=key.namespace,
            labels=dict(change.labels),
            annotations={name: value for name, value in change.annotations.items() if value is not None},
        )
        spec = WorkerDeploymentSpec(template=change.template, active_release=change.active_release or "")
        return self._client.create(WorkerDeployment(metadata=metadata, spec=spec))

    def create_or_change(
        self, account: str, script: str, decide: Callable[[WorkerDeployment | None], Change]
    ) -> tuple[WorkerDeployment, bool]:
        """As `change`, and with nothing there yet create it; whether that was so."""
        for _ in range(1 + self._retries):
            there = self._catalogue.find_any(account, script)
            if there is not None and there.metadata.is_being_deleted:
                raise failure.unavailable(f"Worker {script} is being deleted")
            change = decide(there)
            try:
                return (
                    (self.create(account, script, change), True)
                    if there is None
                    else (self.patch(there, change), False)
                )
            except (Conflict, AlreadyExists, NotFound):
                continue
        raise _too_busy(script)


def _too_busy(script: str) -> failure.CfError:
    return failure.unavailable(f"others change Worker {script} at the same time")
