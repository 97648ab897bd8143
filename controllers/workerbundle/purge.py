"""Deletes images from the registry that no bundle runs any more."""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from enum import StrEnum

import msgspec

from apis.cfworker.jobbuilder import (
    DEFAULT_REGISTRY_CREDENTIALS,
    BuildPhase,
    JobBuilder,
)
from apis.cfworker.workerbundle import BundleImage, WorkerBundle
from apis.meta import Key
from controllers.ociregistry.errors import DeleteDisabled
from controllers.ociregistry.reference import ImageReference, Repository
from controllers.reporting.recorder import Recorder
from controllers.workerbundle.image_history import ImageHistory, history_of
from controllers.workerbundle.metrics import PurgeMetrics
from controllers.workers.images import parsed
from controllers.workers.registries import ImageRegistry, Registries
from controllers.workers.settings import WorkersSettings
from framework.client import Client
from framework.errors import NotFound
from framework.listers import Lister

_ACTION = "Purge"


class Verdict(StrEnum):
    PURGED = "purged"
    # Another bundle, or a build that is about to be applied, has the digest.
    IN_USE = "in_use"
    REFUSED = "refused"
    DISABLED = "disabled"


class Purged(msgspec.Struct, frozen=True):
    """*done* need not be thought of again; *disabled* are among them."""

    done: list[BundleImage]
    disabled: list[BundleImage]


class Purger:
    def __init__(
        self,
        *,
        bundles: Lister[WorkerBundle],
        job_builders: Lister[JobBuilder],
        registries: Registries,
        client: Client,
        recorder: Recorder,
        metrics: PurgeMetrics,
        settings: WorkersSettings,
    ) -> None:
        self._bundles = bundles
        self._job_builders = job_builders
        self._registries = registries
        self._client = client
        self._recorder = recorder
        self._metrics = metrics
        self._settings = settings

    def purge(
        self, bundle: WorkerBundle, images: Sequence[BundleImage], history: ImageHistory, kept: Sequence[BundleImage]
    ) -> Purged:
        """Raise RegistryError if the registry should be asked again."""
        done: list[BundleImage] = []
        disabled: list[BundleImage] = []
        for image in images:
            if image.image in bundle.status.unpurged:
                done.append(image)
                continue
            verdict = self._purge(bundle, image, history, kept)
            self._metrics.ended(verdict)
            if verdict is Verdict.DISABLED:
                disabled.append(image)
            if verdict is not Verdict.IN_USE:
                done.append(image)
        return Purged(done, disabled)

    def _purge(
        self, bundle: WorkerBundle, image: BundleImage, history: ImageHistory, kept: Sequence[BundleImage]
    ) -> Verdict:
        reference = self._parsed(image.image)
        if reference is None or not self._may_delete(bundle, reference.repository, history):
            note = f"{image.image} is not in a repository of this bundle that images may be deleted from"
            self._recorder.record(bundle, "Warning", "PurgeRefused", note, action=_ACTION)
            return Verdict.REFUSED
        registry = self._registry_of(bundle, image)
        digest = reference.digest or registry.digest_of(image.image)
        if digest is not None:
            if self._is_used(bundle, digest, reference.repository, registry, kept):
                return Verdict.IN_USE
            try:
                registry.delete(str(reference.repository), digest)
            except DeleteDisabled as why:
                self._recorder.record(bundle, "Warning", "RegistryDeleteDisabled", str(why), action=_ACTION)
                return Verdict.DISABLED
        self._forget_build(bundle, image, digest)
        self._recorder.record(bundle, "Normal", "ImagePurged", f"deleted {image.image}", action=_ACTION)
        return Verdict.PURGED

    def _parsed(self, image: str) -> ImageReference | None:
        return parsed(image, self._settings.default_registry)

    def _may_delete(self, bundle: WorkerBundle, repository: Repository, history: ImageHistory) -> bool:
        images = [*(each.image for each in history.images), bundle.spec.pod_template.image]
        own = {reference.repository for image in images if image and (reference := self._parsed(image))}
        name = str(repository)
        allowed = (each.rstrip("/") for each in self._settings.purgeable)
        return repository in own and any(name == each or name.startswith(f"{each}/") for each in allowed)

    def _registry_of(self, bundle: WorkerBundle, image: BundleImage) -> ImageRegistry:
        build = self._build_of(bundle, image)
        secret = build.spec.registry_credentials_secret if build else DEFAULT_REGISTRY_CREDENTIALS
        return self._registries.of(Key(bundle.metadata.namespace, secret))

    def _is_used(
        self,
        bundle: WorkerBundle,
        digest: str,
        repository: Repository,
        registry: ImageRegistry,
        kept: Iterable[BundleImage],
    ) -> bool:
        """Deleting a digest deletes every tag on it, and equal builds have equal digests."""
        images = {each.image for each in kept}
        for other in self._bundles.list():
            is_itself = other.metadata.uid == bundle.metadata.uid
            if not (is_itself and bundle.metadata.is_being_deleted):
                images.add(other.spec.pod_template.image)
            if not is_itself:
                images |= {other.status.image, *self._needed_by(other)}
        if any(self._leads_to(image, digest, repository, registry) for image in images if image):
            return True
        return any(
            each.status.image_digest == digest and each.status.phase is BuildPhase.SUCCEEDED and not _is_gone(each)
            for each in self._job_builders.list()
            if not bundle.metadata.is_being_deleted
        )

    def _needed_by(self, other: WorkerBundle) -> set[str]:
        """Not what it is about to purge itself: each of two would wait for the other to go first."""
        history = history_of(other, self._settings.default_registry)
        is_settled = other.status.image == other.spec.pod_template.image
        # While it rolls out, its pods may run any of them.
        needed = history.kept(other.spec.image_history_limit) if is_settled else history.images
        return {each.image for each in needed}

    def _leads_to(self, image: str, digest: str, repository: Repository, registry: ImageRegistry) -> bool:
        reference = self._parsed(image)
        if reference is None:
            return False
        if reference.digest:
            return reference.digest == digest
        return reference.repository == repository and registry.digest_of(image) == digest

    def _forget_build(self, bundle: WorkerBundle, image: BundleImage, digest: str | None) -> None:
        """The build of an account has nothing left to apply."""
        build = self._build_of(bundle, image)
        is_done = build is not None and build.status.phase is BuildPhase.SUPERSEDED
        if build is None or not is_done or build.metadata.controller_owner is None:
            return
        if digest is not None and build.status.image_digest not in {"", digest}:
            return
        with suppress(NotFound):
            self._client.delete(
                JobBuilder,
                build.key,
                uid=build.metadata.uid,
                resource_version=build.metadata.resource_version,
                propagation="Background",
            )

    def _build_of(self, bundle: WorkerBundle, image: BundleImage) -> JobBuilder | None:
        return self._job_builders.get(Key(bundle.metadata.namespace, image.job_builder)) if image.job_builder else None


def _is_gone(job_builder: JobBuilder) -> bool:
    return job_builder.metadata.is_being_deleted
