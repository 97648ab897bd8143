"""Deployments: which version serves, and which ones did."""

import uuid
from collections.abc import Sequence
from typing import Any

import msgspec

from apis.cfworker.workerdeployment import WorkerDeployment
from apis.meta import micro_time
from controllers.cfapi import failure
from controllers.cfapi.catalogue import active_name
from controllers.cfapi.envelope import Reply
from controllers.cfapi.history import Deployed, history_of, with_entry
from controllers.cfapi.metadata import annotations_of
from controllers.cfapi.parts import Parts
from controllers.cfapi.request import CfRequest
from controllers.cfapi.script_result import modified_on, url_of
from controllers.cfapi.writer import Change
from controllers.workers.keys import DEPLOYMENTS

_STRATEGY = "percentage"
_ALL = 100


class VersionShare(msgspec.Struct, frozen=True):
    version_id: str
    percentage: float


class NewDeployment(msgspec.Struct, frozen=True):
    versions: list[VersionShare]
    strategy: str = _STRATEGY
    annotations: dict[str, Any] | None = None


class DeploymentEndpoints:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def list(self, request: CfRequest) -> Reply:
        deployment = self._parts.catalogue.get(request.account_name, request.script)
        return Reply({"deployments": [entry.as_result() for entry in self._entries(deployment)]})

    def create(self, request: CfRequest) -> Reply:
        wanted = request.json(NewDeployment)
        version_id = _only_version(wanted)
        annotations = {"workers/triggered_by": "deployment", **annotations_of(wanted.annotations)}
        entry = Deployed(
            id=str(uuid.uuid4()),
            version_id=version_id,
            created_on=micro_time(self._parts.clock.now()),
            author_email=request.identity.email,
            annotations=annotations,
        )

        def decide(deployment: WorkerDeployment) -> Change:
            # Each time: a version may be pruned while others deploy.
            version = self._parts.catalogue.version(deployment, version_id)
            history = with_entry(history_of(deployment), entry)
            return Change(active_release=version.id, annotations={DEPLOYMENTS: history})

        self._parts.writer.change(request.account_name, request.script, decide)
        url = url_of(request.account, request.script, self._parts.options.ingress_host)
        messages = [f"once built, {request.script} answers at {url}"] if url else []
        return Reply(entry.as_result(), messages=messages)

    def _entries(self, deployment: WorkerDeployment) -> Sequence[Deployed]:
        """Newest first; what was made active by other means than this API is in front."""
        history = history_of(deployment)
        active = active_name(deployment)
        if not active or (history and history[0].version_id == active):
            return history
        # A release by its name, perhaps, of a version that history knows by its id.
        versions = self._parts.catalogue.versions(deployment)
        active_id = next((version.id for version in versions if version.is_named(active)), active)
        if history and history[0].version_id == active_id:
            return history
        current = Deployed(
            id=deployment.metadata.uid, version_id=active_id, created_on=modified_on(deployment), source="kubernetes"
        )
        return [current, *history]


def _only_version(wanted: NewDeployment) -> str:
    if wanted.strategy != _STRATEGY:
        raise failure.unsupported(f"deployment strategy {wanted.strategy[:100]!r}")
    shares = [share for share in wanted.versions if share.percentage]
    if len(shares) != 1 or shares[0].percentage != _ALL:
        raise failure.unsupported("a gradual rollout: one version has to get 100 percent, which")
    return shares[0].version_id
