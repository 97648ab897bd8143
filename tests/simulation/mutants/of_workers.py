"""Mutants of the controllers of workers; most of them are defects that their predecessor has."""

from collections.abc import Sequence
from typing import Any

import msgspec

from apis.batch.v1 import Job, JobCondition
from apis.cfworker.jobbuilder import JobBuilder
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import BundleImage, WorkerBundle
from apis.cfworker.workerversion import WorkerVersion
from apis.meta import Key, KubeObject, Request
from controllers.jobbuilder import job, jobs
from controllers.jobbuilder.reconciler import JobBuilders
from controllers.jobbuilder.wishes import Wish, Wishes
from controllers.workeraccount import bundles
from controllers.workerbundle.children import BundleChildren
from controllers.workerbundle.image_history import ImageHistory
from controllers.workerbundle.purge import Purged, Purger
from controllers.workerdeployment import releases
from controllers.workerrelease.reconciler import WorkerReleases
from controllers.workerrelease.script_objects import ObjectRemoval
from controllers.workers.images import with_digest
from controllers.workerversion.reconciler import WorkerVersions
from framework.apply.outcome import Outcome
from framework.client import Client
from framework.reconcile import Result
from tests.simulation.mutants.mutant import Mutant
from tests.simulation.workers_cluster import digest_of
from tests.simulation.workers_served import departures, workers
from tests.simulation.workers_versions import versions

_PREDECESSOR = "the predecessor"
_converge, _bundle_manifest, _hand_over = BundleChildren._converge, bundles._manifest, JobBuilders._hand_over
_reconcile, _wish_of = WorkerReleases.reconcile, Wishes.of


def _one_name(_job_builder: str) -> str:
    return "build"


def _anybody(_found: KubeObject, _job_builder: JobBuilder) -> None:
    """Whoever owns it."""


def _begin_with_any(self: JobBuilders, job_builder: JobBuilder, wish: Wish) -> Result:
    found = self._jobs.of(job_builder)
    if found is None:
        return self._start(job_builder, wish)
    if not found.metadata.is_being_deleted:
        self._note_start(job_builder)
    return Result.await_change()


def _complete_unseen(self: JobBuilders, job_builder: JobBuilder, _job: Job, _final: JobCondition) -> Result:
    target = job_builder.spec.target_image
    self._reports.succeeded(job_builder, with_digest(target, digest_of(target)), digest_of(target))
    return Result.await_change()


def _build_once_more(self: JobBuilders, job_builder: JobBuilder, wish: Wish) -> Result:
    _hand_over(self, job_builder, wish)
    return self._rebuild(job_builder)


def _failed_for_good(self: JobBuilders, job_builder: JobBuilder, _job: Job, _final: JobCondition, why: str) -> Result:
    self._reports.failed(job_builder, "BuildFailed", why)
    return Result.await_change()


def _itself(_self: WorkerVersions, version: WorkerVersion) -> WorkerVersion:
    return version


def _only_create(self: BundleChildren, bundle: WorkerBundle, manifests: Sequence[dict[str, Any]]) -> Any:
    return _converge(self, bundle, manifests) if self.deployment_of(bundle) is None else Outcome(())


def _keep_all(
    _self: Purger,
    _bundle: WorkerBundle,
    images: Sequence[BundleImage],
    _history: ImageHistory,
    _kept: Sequence[BundleImage],
) -> Purged:
    return Purged(list(images), [])


def _with_placeholder(account: WorkerAccount, key: Key) -> dict[str, Any]:
    manifest = _bundle_manifest(account, key)
    spec = manifest["spec"]
    return {**manifest, "spec": {**spec, "podTemplate": {**spec["podTemplate"], "image": "nginx"}}}


def _always_wanted(self: Wishes, job_builder: JobBuilder) -> Wish:
    return msgspec.structs.replace(_wish_of(self, job_builder), is_desired=True)


def _yes(*_anything: object) -> bool:
    return True


def _unasked(_client: Client, _owner: KubeObject) -> None:
    """Whether or not it is still there."""


def _finish_first(self: WorkerReleases, request: Request) -> Result:
    release = self._releases.get(request.key)
    if release is None or not release.metadata.is_being_deleted:
        return _reconcile(self, request)
    if self._finalizer.needs_cleanup(release):
        self._finalizer.finish(release)
        self._removal.remove(release)
    return Result.await_change()


MUTANTS = (
    Mutant(
        "one-job-for-all",
        "the Job of the last build is found by its name, and taken for that of the next one",
        workers,
        [
            (job, "job_name", _one_name),
            (jobs, "job_name", _one_name),
            (jobs, "_check_owner", _anybody),
            (JobBuilders, "_begin", _begin_with_any),
            (JobBuilders, "_complete", _complete_unseen),
        ],
        known_from=_PREDECESSOR,
    ),
    Mutant(
        "built-again-and-again",
        "every look at a build that is done deletes its Job and starts it anew",
        workers,
        [(JobBuilders, "_hand_over", _build_once_more)],
        known_from=_PREDECESSOR,
    ),
    Mutant(
        "first-failure-is-final",
        "a build that failed for reasons outside of the scripts is never tried again",
        workers,
        [(JobBuilders, "_retry", _failed_for_good)],
        known_from=_PREDECESSOR,
    ),
    Mutant(
        "old-version-wins",
        "all versions of a script are applied in the order of a list",
        versions,
        [(WorkerVersions, "_newest", _itself)],
        known_from=_PREDECESSOR,
    ),
    Mutant(
        "bundle-never-updated",
        "what a bundle needs is only made, so a new image never reaches the Deployment",
        workers,
        [(BundleChildren, "_converge", _only_create)],
        known_from=_PREDECESSOR,
    ),
    Mutant(
        "images-never-purged",
        "what nothing runs any more stays in the registry",
        workers,
        [(Purger, "purge", _keep_all)],
        known_from=_PREDECESSOR,
    ),
    Mutant(
        "bundle-with-a-placeholder",
        "an account gives its bundle the image nginx",
        workers,
        [(bundles, "_manifest", _with_placeholder)],
        known_from=_PREDECESSOR,
    ),
    Mutant(
        "release-before-its-code",
        "a release is let go before its code is removed from the bucket",
        departures,
        [(WorkerReleases, "reconcile", _finish_first)],
    ),
    Mutant(
        "overtaken-build-applied",
        "an older build that ends later replaces what the newer one gave",
        workers,
        [(Wishes, "of", _always_wanted), (Wishes, "is_still_desired", _yes)],
        known_from=_PREDECESSOR,
    ),
    Mutant(
        "release-for-the-dead",
        "a release is made for a WorkerDeployment that only the cache still has",
        departures,
        [(releases, "check_is_there", _unasked)],
    ),
    Mutant(
        "code-kept-for-the-dead",
        "code stays in the bucket for the sake of a WorkerDeployment that is gone",
        departures,
        [(ObjectRemoval, "_is_there", _yes)],
    ),
)
