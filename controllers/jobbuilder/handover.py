"""Gives the image of a finished build to its WorkerBundle."""

from typing import Any

import msgspec

from apis.cfworker.jobbuilder import JobBuilder
from apis.cfworker.workerbundle import WorkerBundle
from controllers.jobbuilder.rows import bundled_workers
from controllers.jobbuilder.wishes import Wish, Wishes, owning_account, sequence_of
from controllers.reporting.observation import Observation
from controllers.workers.bundle_patch import retired_image
from controllers.workers.images import JOB_BUILDER_SOURCE
from controllers.workers.keys import APPLIED_SEQUENCE, COMPOSITION, IMAGE_SOURCE, LAST_IMAGE
from framework.client import Client

_UPDATED = "BundleUpdated"
_DONE = Observation(_UPDATED, "True", "BundleUpdated")


class NoLongerDesired(Exception):
    """The account wants something else by now."""


class Handover:
    def __init__(self, *, wishes: Wishes, client: Client) -> None:
        self._wishes = wishes
        self._client = client

    def run(self, job_builder: JobBuilder, wish: Wish) -> Observation:
        """Say whether the bundle has the image. Raise NoLongerDesired, or Conflict if the bundle changed meanwhile."""
        bundle = wish.bundle
        if bundle is None or bundle.metadata.is_being_deleted:
            name = job_builder.spec.worker_bundle_name
            return Observation(_UPDATED, "False", "BundleNotFound", f"there is no WorkerBundle {name}")
        if refusal := _refusal(job_builder, bundle, wish):
            return refusal
        if not wish.is_of_account and job_builder.status.bundle_applied:
            return _DONE
        if not self.is_due(job_builder, bundle):
            return _DONE
        if not self._wishes.is_still_desired(job_builder):
            raise NoLongerDesired
        self._write(job_builder, bundle, wish)
        return _DONE

    def is_due(self, job_builder: JobBuilder, bundle: WorkerBundle) -> bool:
        """Whether the bundle differs from what the build gives it."""
        annotations = bundle.metadata.annotations
        wanted = {name: value for name, value in _marks(job_builder).items() if annotations.get(name) != value}
        is_same = bundle.spec.pod_template.image == job_builder.status.image
        return bool(wanted) or not is_same or bundle.spec.workers != bundled_workers(job_builder, bundle)

    def _write(self, job_builder: JobBuilder, bundle: WorkerBundle, wish: Wish) -> None:
        image = job_builder.status.image
        annotations: dict[str, Any] = {**_marks(job_builder), LAST_IMAGE: retired_image(bundle, image)}
        if LAST_IMAGE not in bundle.metadata.annotations and annotations[LAST_IMAGE] is None:
            del annotations[LAST_IMAGE]
        workers = msgspec.to_builtins(bundled_workers(job_builder, wish.bundle))
        metadata = bundle.metadata
        self._client.merge_patch(
            WorkerBundle,
            bundle.key,
            {
                "metadata": {"annotations": annotations},
                "spec": {"workers": workers, "podTemplate": {"image": image}},
            },
            resource_version=metadata.resource_version,
            uid=metadata.uid,
        )


def _marks(job_builder: JobBuilder) -> dict[str, str]:
    marks = {IMAGE_SOURCE: f"{JOB_BUILDER_SOURCE}{job_builder.metadata.name}"}
    if owning_account(job_builder) is None:
        return marks
    composition = job_builder.metadata.annotations.get(COMPOSITION, "")
    return {**marks, APPLIED_SEQUENCE: str(sequence_of(job_builder)), COMPOSITION: composition}


def _refusal(job_builder: JobBuilder, bundle: WorkerBundle, wish: Wish) -> Observation | None:
    if not wish.is_of_account:
        if COMPOSITION not in bundle.metadata.annotations:
            return None
        message = f"an account fills WorkerBundle {bundle.metadata.name}"
        return Observation(_UPDATED, "False", "BundleManagedByAccount", message)
    owner, account = bundle.metadata.controller_owner, owning_account(job_builder)
    if owner is not None and account is not None and owner.uid == account.uid:
        return None
    message = f"WorkerBundle {bundle.metadata.name} is not controlled by the account of this build"
    return Observation(_UPDATED, "False", "NameTaken", message)
