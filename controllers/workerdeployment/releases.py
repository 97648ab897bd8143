"""The releases of a WorkerDeployment: made, found, pruned."""

from collections.abc import Collection, Sequence
from contextlib import suppress

import msgspec

from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import WorkerRelease, WorkerReleaseSpec
from apis.meta import Key, ObjectMeta, controller_reference
from controllers.reporting.recorder import Recorder
from controllers.workers.accounts import account_name
from controllers.workers.keys import (
    ACCOUNTS,
    DEPLOYMENT,
    FAKE_CF_API,
    MESSAGE,
    REVISION,
    SCRIPT_OBJECTS_FINALIZER,
    SCRIPTS,
    STORAGE_OWNER,
    TAG,
    VERSION_ID,
)
from controllers.workers.living_owner import check_is_there
from controllers.workers.names import content_hash, label_value, suffixed
from controllers.workers.revisions import revision_of
from controllers.workers.script_rules import NormalScript
from framework.apply import CONTROLLER_INDEX
from framework.client import Client
from framework.errors import AlreadyExists, NotFound
from framework.listers import Lister

_ACTION = "Release"
_COPIED = (MESSAGE, TAG, STORAGE_OWNER)


class NameTaken(Exception):
    """The name that the template gives is that of another release."""


class StillLeaving(Exception):
    """The release is being deleted; it is made again when it is gone."""


def release_labels(deployment: WorkerDeployment) -> dict[str, str]:
    """Those by which accounts select the releases of *deployment*."""
    template = deployment.spec.template
    labels = {
        **deployment.metadata.labels,
        ACCOUNTS: label_value(account_name(deployment)),
        SCRIPTS: template.script_name,
        DEPLOYMENT: label_value(deployment.metadata.name),
    }
    return {**labels, VERSION_ID: template.version_id} if template.version_id else labels


class Releases:
    def __init__(self, *, releases: Lister[WorkerRelease], client: Client, recorder: Recorder) -> None:
        self._releases = releases
        self._client = client
        self._recorder = recorder

    def of(self, deployment: WorkerDeployment) -> list[WorkerRelease]:
        """The oldest first."""
        found = self._releases.by_index(CONTROLLER_INDEX, deployment.metadata.uid)
        living = (each for each in found if not each.metadata.is_being_deleted)
        return sorted(living, key=lambda each: (revision_of(each), each.metadata.name))

    def find(self, deployment: WorkerDeployment, script: NormalScript) -> WorkerRelease | None:
        key = _key(deployment, script)
        return next((each for each in self.of(deployment) if each.key == key), None)

    def ensure(self, deployment: WorkerDeployment, script: NormalScript) -> WorkerRelease:
        """The release of *script*, with the highest revision. Raise NameTaken or StillLeaving."""
        releases = self.of(deployment)
        highest = max(map(revision_of, releases), default=0)
        found = self.find(deployment, script)
        if found is None:
            return self._create(deployment, script, highest + 1)
        if revision_of(found) == highest and highest > 0:
            return found
        return self._raise_revision(found, highest + 1)

    def prune(self, deployment: WorkerDeployment, kept: Collection[str], limit: int) -> None:
        """Delete all but *kept* and the newest *limit* of the others."""
        others = [each for each in self.of(deployment) if each.metadata.name not in kept]
        for release in others[: max(0, len(others) - limit)]:
            metadata = release.metadata
            with suppress(NotFound):
                self._client.delete(
                    WorkerRelease, release.key, uid=metadata.uid, resource_version=metadata.resource_version
                )
            note = f"deleted {metadata.name}: {limit} inactive releases are kept"
            self._recorder.record(deployment, "Normal", "ReleasePruned", note, action=_ACTION)

    def _create(self, deployment: WorkerDeployment, script: NormalScript, revision: int) -> WorkerRelease:
        key = _key(deployment, script)
        annotations = {name: value for name, value in deployment.metadata.annotations.items() if name in _COPIED}
        metadata = ObjectMeta(
            name=key.name,
            namespace=key.namespace,
            labels=release_labels(deployment),
            annotations={**annotations, REVISION: str(revision)},
            # From the beginning: a release that goes at once has code in the bucket all the same.
            finalizers=[SCRIPT_OBJECTS_FINALIZER] if annotations.get(STORAGE_OWNER) == FAKE_CF_API else [],
            owner_references=[controller_reference(deployment)],
        )
        spec = msgspec.convert(msgspec.to_builtins(script), WorkerReleaseSpec)
        check_is_there(self._client, deployment)
        try:
            made = self._client.create(WorkerRelease(metadata=metadata, spec=spec))
        except AlreadyExists:
            return self._existing(deployment, key, spec)
        note = f"made {key.name}, revision {revision}"
        self._recorder.record(deployment, "Normal", "ReleaseCreated", note, action=_ACTION)
        return made

    def _existing(self, deployment: WorkerDeployment, key: Key, spec: WorkerReleaseSpec) -> WorkerRelease:
        live = self._client.get(WorkerRelease, key)
        owner = live.metadata.controller_owner
        if owner is not None and owner.uid != deployment.metadata.uid:
            raise NameTaken
        if live.metadata.is_being_deleted:
            raise StillLeaving
        if live.spec != spec:
            raise NameTaken
        return live if owner is not None else self._adopt(deployment, live)

    def _adopt(self, deployment: WorkerDeployment, release: WorkerRelease) -> WorkerRelease:
        references = [*release.metadata.owner_references, controller_reference(deployment)]
        return self._patch(release, {"ownerReferences": msgspec.to_builtins(references)})

    def _raise_revision(self, release: WorkerRelease, revision: int) -> WorkerRelease:
        return self._patch(release, {"annotations": {REVISION: str(revision)}})

    def _patch(self, release: WorkerRelease, metadata: dict[str, object]) -> WorkerRelease:
        have = release.metadata
        return self._client.merge_patch(
            WorkerRelease,
            release.key,
            {"metadata": metadata},
            resource_version=have.resource_version,
            uid=have.uid,
        )


def named(releases: Sequence[WorkerRelease], name_or_version: str) -> WorkerRelease | None:
    """By its name, else the newest of that version id."""
    by_name = (each for each in releases if each.metadata.name == name_or_version)
    by_version = (each for each in reversed(releases) if each.spec.version_id == name_or_version)
    return next(by_name, None) or next(by_version, None)


def _key(deployment: WorkerDeployment, script: NormalScript) -> Key:
    content = {"script": msgspec.to_builtins(script), "collisionCount": deployment.status.collision_count}
    return Key(deployment.metadata.namespace, suffixed(deployment.metadata.name, content_hash(content)))
