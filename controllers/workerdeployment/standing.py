"""What the accounts of a WorkerDeployment make of its releases."""

from collections.abc import Mapping

import msgspec

from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.cfworker.workerdeployment import WorkerDeployment
from apis.cfworker.workerrelease import ReleasePhase, WorkerRelease
from apis.meta import Key
from controllers.reporting.observation import Observation
from controllers.workerdeployment.releases import release_labels
from controllers.workers.accounts import worker_of
from controllers.workers.belonging import selects
from framework.conditions import find_condition, is_true
from framework.listers import Lister

_AVAILABLE, _PROGRESSING = "Available", "Progressing"


class Standing(msgspec.Struct, frozen=True):
    """*serving* is the release that answers; *in_use* are all that an account wants or has."""

    serving: str
    in_use: frozenset[str]
    available: Observation


class Standings:
    def __init__(self, *, accounts: Lister[WorkerAccount], bundles: Lister[WorkerBundle]) -> None:
        self._accounts = accounts
        self._bundles = bundles

    def of(self, deployment: WorkerDeployment, active: WorkerRelease | None) -> Standing:
        labels = release_labels(deployment)
        accounts = self._selecting(deployment.metadata.namespace, labels)
        script = deployment.spec.template.script_name
        rows = {each.metadata.name: worker_of(each, script) for each in accounts}
        serving = {name: row.serving_release if row else "" for name, row in rows.items()}
        wanted = {row.release for row in rows.values() if row}
        in_use = frozenset({*serving.values(), *wanted} - {""})
        first = next((serving[name] for name in sorted(serving) if serving[name]), "")
        return Standing(first, in_use, self._availability(active, accounts, serving))

    def _selecting(self, namespace: str, labels: Mapping[str, str]) -> list[WorkerAccount]:
        accounts = self._accounts.list(namespace)
        return [each for each in accounts if not each.metadata.is_being_deleted and selects(each, labels)]

    def _availability(
        self, active: WorkerRelease | None, accounts: list[WorkerAccount], serving: Mapping[str, str]
    ) -> Observation:
        if active is None:
            return _not_available("NoRelease", "no release is active")
        if active.status.phase is ReleasePhase.FAILED:
            return _not_available("ReleaseFailed", active.status.message)
        if not accounts:
            return _not_available("NoMatchingAccount", "no WorkerAccount selects the releases")
        behind = sorted(name for name, release in serving.items() if release != active.metadata.name)
        if behind:
            return _not_available("NotServing", f"{active.metadata.name} does not serve account {behind[0]} yet")
        for account in accounts:
            bundle = self._bundles.get(Key(account.metadata.namespace, account.status.bundle_name))
            if bundle is None or not is_true(bundle.status.conditions, _AVAILABLE):
                return _not_available("BundleUnavailable", _why(bundle))
        return Observation(_AVAILABLE, "True", "Serving")


def progress(active: WorkerRelease | None, standing: Standing) -> Observation:
    if active is None:
        return Observation(_PROGRESSING, "False", "NoRelease")
    if active.status.phase is ReleasePhase.FAILED:
        return Observation(_PROGRESSING, "False", "ReleaseFailed", active.status.message)
    if standing.available.status == "True":
        return Observation(_PROGRESSING, "True", "Complete")
    return Observation(_PROGRESSING, "True", "Progressing", standing.available.message)


def _not_available(reason: str, message: str) -> Observation:
    return Observation(_AVAILABLE, "False", reason, message)


def _why(bundle: WorkerBundle | None) -> str:
    found = None if bundle is None else find_condition(bundle.status.conditions, _AVAILABLE)
    return "there is no bundle yet" if found is None else found.message or found.reason
