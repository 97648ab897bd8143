"""Which accounts a release belongs to."""

from collections.abc import Iterable, Mapping

from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerrelease import WorkerRelease
from controllers.workers.selection import InvalidSelector, selection_of


def selects(account: WorkerAccount, labels: Mapping[str, str]) -> bool:
    """A selector that is none selects nothing; the account's own conditions say so."""
    try:
        return selection_of(account.spec.worker_release_selector).matches(labels)
    except InvalidSelector:
        return False


def belongs(release: WorkerRelease, account: WorkerAccount) -> bool:
    if release.metadata.namespace != account.metadata.namespace:
        return False
    is_named = release.spec.worker_versions is not None and release.spec.accounts == account.metadata.name
    return is_named or selects(account, release.metadata.labels)


def accounts_of(release: WorkerRelease, accounts: Iterable[WorkerAccount]) -> list[WorkerAccount]:
    found = (each for each in accounts if not each.metadata.is_being_deleted and belongs(release, each))
    return sorted(found, key=lambda each: each.metadata.name)
