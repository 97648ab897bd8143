"""The JobBuilders of an account: the one of its composition, and those before it."""

from contextlib import suppress

from apis.cfworker.jobbuilder import BuildPhase, JobBuilder, JobBuilderSpec, ScriptStorage
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.meta import Key, ObjectMeta, controller_reference
from controllers.workeraccount.composition import Composition, effective_builder
from controllers.workers.images import JOB_BUILDER_SOURCE
from controllers.workers.keys import ACCOUNTS, COMPOSITION, IMAGE_SOURCE, REBUILD, SEQUENCE
from controllers.workers.living_owner import check_is_there
from controllers.workers.names import job_builder_name, label_value
from controllers.workers.settings import WorkersSettings
from framework.apply import CONTROLLER_INDEX
from framework.client import Client
from framework.errors import NotFound, WindlassError
from framework.listers import Lister

_FINISHED = (BuildPhase.SUCCEEDED, BuildPhase.FAILED, BuildPhase.SUPERSEDED)


class Builds:
    def __init__(self, *, job_builders: Lister[JobBuilder], client: Client, settings: WorkersSettings) -> None:
        self._job_builders = job_builders
        self._client = client
        self._settings = settings

    def current(self, account: WorkerAccount) -> JobBuilder | None:
        """The one of the account's composition."""
        found = self._job_builders.get(_key(account, account.status.composition))
        owner = found.metadata.controller_owner if found else None
        return found if owner is not None and owner.uid == account.metadata.uid else None

    def ensure(self, account: WorkerAccount, composition: Composition) -> None:
        """*composition* is that of the account's status."""
        key = _key(account, composition.hash)
        found = self._job_builders.get(key)
        if found is None:
            self._create(account, composition, key)
            return
        owner = found.metadata.controller_owner
        if owner is None or owner.uid != account.metadata.uid:
            raise WindlassError(f"JobBuilder {key} is not this account's; delete it, or rename it")
        self._announce(account, composition, found)

    def prune(self, account: WorkerAccount, bundle: WorkerBundle) -> None:
        """Delete finished builds beyond the limit; never that of the composition, or of the image in use."""
        source = bundle.metadata.annotations.get(IMAGE_SOURCE, "")
        kept = {_key(account, account.status.composition).name, source.removeprefix(JOB_BUILDER_SOURCE)}
        found = self._job_builders.by_index(CONTROLLER_INDEX, account.metadata.uid)
        finished = [
            each
            for each in found
            if each.status.phase in _FINISHED and each.metadata.name not in kept and not each.metadata.is_being_deleted
        ]
        newest = sorted(finished, key=lambda each: (_sequence(each), each.metadata.name), reverse=True)
        for each in newest[account.spec.build_history_limit :]:
            with suppress(NotFound):
                self._client.delete(JobBuilder, each.key, uid=each.metadata.uid, propagation="Background")

    def _create(self, account: WorkerAccount, composition: Composition, key: Key) -> None:
        settings, rows = self._settings, composition.rows
        metadata = ObjectMeta(
            name=key.name,
            namespace=key.namespace,
            labels={ACCOUNTS: label_value(account.metadata.name)},
            annotations=_annotations(account, composition),
            owner_references=[controller_reference(account)],
        )
        spec = JobBuilderSpec(
            script_urls=[row.sources[0] for row in rows],
            script_names=[row.name for row in rows],
            target_image=f"{composition.repository}:c-{composition.hash}",
            worker_bundle_name=account.spec.worker_bundle_name,
            workers=list(rows),
            egress=account.spec.egress,
            builder=effective_builder(account.spec.builder, settings),
            s3=ScriptStorage(endpoint=settings.s3_endpoint, region=settings.s3_region, bucket=settings.s3_bucket),
        )
        check_is_there(self._client, account)
        self._client.create(JobBuilder(metadata=metadata, spec=spec))

    def _announce(self, account: WorkerAccount, composition: Composition, found: JobBuilder) -> None:
        """Tell a build that is there already that it is wanted now."""
        wanted = _annotations(account, composition)
        if all(found.metadata.annotations.get(name) == value for name, value in wanted.items()):
            return
        self._client.merge_patch(
            JobBuilder,
            found.key,
            {"metadata": {"annotations": wanted}},
            resource_version=found.metadata.resource_version,
            uid=found.metadata.uid,
        )


def _key(account: WorkerAccount, composition: str) -> Key:
    return Key(account.metadata.namespace, job_builder_name(account.metadata.name, composition))


def _annotations(account: WorkerAccount, composition: Composition) -> dict[str, str]:
    annotations = {SEQUENCE: str(account.status.sequence), COMPOSITION: composition.hash}
    return {**annotations, REBUILD: composition.rebuild} if composition.rebuild else annotations


def _sequence(job_builder: JobBuilder) -> int:
    text = job_builder.metadata.annotations.get(SEQUENCE, "")
    return int(text) if text.isascii() and text.isdigit() else 0
