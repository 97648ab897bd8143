"""Whether a build is still wanted, and by whom."""

import msgspec

from apis.cfworker.jobbuilder import JobBuilder
from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.meta import GroupVersionKind, Key, OwnerReference, resource_type_of
from controllers.workers.bundle_patch import applied_sequence
from controllers.workers.keys import COMPOSITION, SEQUENCE
from controllers.workers.names import bundle_object_name
from framework.client import Client
from framework.errors import NotFound
from framework.listers import Lister

_ACCOUNT = resource_type_of(WorkerAccount).gvk


def bundle_key(job_builder: JobBuilder) -> Key:
    return Key(job_builder.metadata.namespace, bundle_object_name(job_builder.spec.worker_bundle_name))


def sequence_of(job_builder: JobBuilder) -> int:
    text = job_builder.metadata.annotations.get(SEQUENCE, "")
    return int(text) if text.isascii() and text.isdigit() else 0


def owning_account(job_builder: JobBuilder) -> OwnerReference | None:
    """None if it stands alone."""
    owner = job_builder.metadata.controller_owner
    if owner is None:
        return None
    gvk = GroupVersionKind.parse(owner.api_version, owner.kind)
    return owner if (gvk.group, gvk.kind) == (_ACCOUNT.group, _ACCOUNT.kind) else None


class Wish(msgspec.Struct, frozen=True):
    is_of_account: bool
    is_desired: bool
    bundle: WorkerBundle | None


class Wishes:
    def __init__(self, *, accounts: Lister[WorkerAccount], bundles: Lister[WorkerBundle], client: Client) -> None:
        self._accounts = accounts
        self._bundles = bundles
        self._client = client

    def of(self, job_builder: JobBuilder) -> Wish:
        bundle = self._bundles.get(bundle_key(job_builder))
        owner = owning_account(job_builder)
        if owner is None:
            return Wish(is_of_account=False, is_desired=True, bundle=bundle)
        account = self._accounts.get(Key(job_builder.metadata.namespace, owner.name))
        is_overtaken = bundle is not None and sequence_of(job_builder) < applied_sequence(bundle)
        is_desired = _wants(account, owner, job_builder) and not is_overtaken
        return Wish(is_of_account=True, is_desired=is_desired, bundle=bundle)

    def is_still_desired(self, job_builder: JobBuilder) -> bool:
        """By what the server says now: asked before anything is done that is seen outside."""
        owner = owning_account(job_builder)
        if owner is None:
            return True
        try:
            account = self._client.get(WorkerAccount, Key(job_builder.metadata.namespace, owner.name))
        except NotFound:
            return False
        return _wants(account, owner, job_builder)


def _wants(account: WorkerAccount | None, owner: OwnerReference, job_builder: JobBuilder) -> bool:
    if account is None or account.metadata.uid != owner.uid or account.metadata.is_being_deleted:
        return False
    composition = account.status.composition
    return bool(composition) and composition == job_builder.metadata.annotations.get(COMPOSITION)
