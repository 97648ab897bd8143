"""From the releases of an account to one build and one bundle."""

from apis.cfworker.workeraccount import WorkerAccount
from apis.cfworker.workerbundle import WorkerBundle
from apis.meta import Request
from controllers.reporting.observation import Observation
from controllers.reporting.status_writer import StatusWriter
from controllers.workeraccount import report
from controllers.workeraccount.builds import Builds
from controllers.workeraccount.bundles import BundleConflict, Bundles
from controllers.workeraccount.composition import Composer, Composition
from controllers.workeraccount.debounce import Debounce
from controllers.workers.keys import COMPOSITION
from controllers.workers.names import job_builder_name
from controllers.workers.script_rules import InvalidInput
from controllers.workers.selection import InvalidSelector, selection_of
from framework.clock import Clock
from framework.listers import Lister
from framework.reconcile import Result


class WorkerAccounts:
    def __init__(
        self,
        *,
        accounts: Lister[WorkerAccount],
        bundles: Bundles,
        builds: Builds,
        composer: Composer,
        debounce: Debounce,
        status: StatusWriter[WorkerAccount],
        clock: Clock,
    ) -> None:
        self._accounts = accounts
        self._bundles = bundles
        self._builds = builds
        self._composer = composer
        self._debounce = debounce
        self._status = status
        self._clock = clock

    def reconcile(self, request: Request) -> Result:
        account = self._accounts.get(request.key)
        if account is None or account.metadata.is_being_deleted:
            self._debounce.forget(request.key)
            return Result.await_change()
        try:
            selection_of(account.spec.worker_release_selector)
        except InvalidSelector as why:
            return self._refuse(account, Observation(report.COMPOSED, "False", "InvalidSelector", str(why)))
        try:
            bundle = self._bundles.ensure(account)
        except BundleConflict as why:
            return self._refuse(account, Observation(report.READY, "False", "BundleConflict", str(why)))
        if bundle is None:
            return Result.await_change()
        return self._compose(account, bundle)

    def _refuse(self, account: WorkerAccount, why: Observation) -> Result:
        self._status.write(account, why, observedGeneration=account.metadata.generation)
        return Result.await_change()

    def _compose(self, account: WorkerAccount, bundle: WorkerBundle) -> Result:
        try:
            composition = self._composer.compose(account, self._clock.now())
        except InvalidInput as why:
            return self._refuse(account, Observation(report.COMPOSED, "False", why.reason, str(why)))
        if composition.hash != account.status.composition:
            left = self._debounce.seconds_left(account.key, composition.hash)
            if left > 0:
                return Result.after(left)
            self._name(account, composition)
            # The change of the status brings us back: from now on this is what is wanted.
            return Result.await_change()
        self._debounce.forget(account.key)
        if not composition.hash:
            self._bundles.empty(bundle)
        elif bundle.metadata.annotations.get(COMPOSITION) != composition.hash:
            self._builds.ensure(account, composition)
        self._builds.prune(account, bundle)
        self._report(account, bundle, composition)
        return Result.await_change()

    def _name(self, account: WorkerAccount, composition: Composition) -> None:
        name = job_builder_name(account.metadata.name, composition.hash) if composition.hash else ""
        # Ports together with the hash: whatever is built from now on answers where the status says.
        self._status.write(
            account,
            composition=composition.hash,
            sequence=account.status.sequence + 1,
            ports=dict(composition.ports),
            jobBuilder=name,
        )

    def _report(self, account: WorkerAccount, bundle: WorkerBundle, composition: Composition) -> None:
        is_built = report.built(account, bundle, self._builds.current(account))
        rows = report.workers(account, bundle, composition)
        self._status.write(
            account,
            report.composed(composition),
            is_built,
            report.ready(account, bundle, is_built),
            bundleName=bundle.metadata.name,
            image=bundle.spec.pod_template.image,
            workers=rows,
            workerCount=len(rows),
            excluded=composition.excluded,
            observedGeneration=account.metadata.generation,
        )
