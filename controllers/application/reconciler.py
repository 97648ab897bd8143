"""From an Application to a running Instance and back, one phase after the other."""

from collections.abc import Sequence

from apis.laf.application import Application, ApplicationSpec, Phase
from apis.laf.runtime import Runtime
from apis.meta import Request
from controllers.application.appids import AppIds
from controllers.application.conditions import instance_conditions, not_ready
from controllers.application.deletion import Deletion
from controllers.application.dependencies import Dependencies, Dependent
from controllers.application.dependency import AdoptedBundle
from controllers.application.instances import Instances, Seen
from controllers.application.phase import Sight, next_phase
from controllers.application.snapshots import Adoption, Snapshots
from controllers.application.status import ApplicationStatusWriter
from framework.errors import CacheBehind
from framework.finalizers import Finalizer
from framework.listers import Lister
from framework.reconcile import Result

FINALIZER = "application.finalizers.laf.dev"
# What no event may ever tell of is looked at again.
RETRY_SECONDS = 60.0


class Applications:
    def __init__(
        self,
        *,
        applications: Lister[Application],
        appids: AppIds,
        snapshots: Snapshots,
        dependencies: Dependencies,
        instances: Instances,
        deletion: Deletion,
        status: ApplicationStatusWriter,
        finalizer: Finalizer[Application],
    ) -> None:
        self._applications = applications
        self._appids = appids
        self._snapshots = snapshots
        self._dependencies = dependencies
        self._instances = instances
        self._deletion = deletion
        self._status = status
        self._finalizer = finalizer

    def reconcile(self, request: Request) -> Result:
        try:
            return self._reconcile(request)
        except CacheBehind:
            # A kind was installed just now, for everybody at once: no failure of this one.
            return Result.with_backoff()

    def _reconcile(self, request: Request) -> Result:
        application = self._applications.get(request.key)
        if application is None:
            self._appids.forget(request.key)
            self._instances.forget(request.key)
            return Result.await_change()
        if application.metadata.is_being_deleted:
            return self._deletion.run(application) if self._finalizer.is_on(application) else Result.await_change()
        application = self._finalizer.ensure(application)
        spec = application.spec
        if spec is None:
            self._status.write(application, application.status.state, not_ready("SpecMissing", "there is no spec"))
            return Result.await_change()
        if not self._has_its_appid(application, spec):
            return Result.await_change()
        return self._advance(application, spec)

    def _has_its_appid(self, application: Application, spec: ApplicationSpec) -> bool:
        owner = self._appids.owner(spec.appid)
        if owner is not None and owner.metadata.uid == application.metadata.uid:
            return True
        by_whom = "another Application" if owner is None else f"Application {owner.key}"
        message = f"appid {spec.appid} belongs to {by_whom}"
        self._status.write(application, application.status.state, not_ready("AppIdConflict", message))
        return False

    def _advance(self, application: Application, spec: ApplicationSpec) -> Result:
        if application.status.state is None:
            # Before anything is made for it: from now on the appid is its own.
            application = self._status.write(application, Phase.INITIALIZING, not_ready("Initializing"))
        adoption = self._snapshots.adopt(application, spec)
        dependents = self._dependencies.ensure(application, spec, _bundle_in_force(application, adoption))
        application = self._initialize(application, adoption, dependents)
        is_in_trouble = any(each.is_in_trouble for each in dependents)
        if application.status.state is not Phase.INITIALIZING:
            seen = self._bring_about(application, spec, dependents)
            is_in_trouble = is_in_trouble or bool(seen.problem) or seen.sight in {Sight.FOREIGN, Sight.LEAVING}
        return Result.after(RETRY_SECONDS) if is_in_trouble else Result.await_change()

    def _initialize(self, application: Application, adoption: Adoption, dependents: Sequence[Dependent]) -> Application:
        ready = [each.ready for each in dependents]
        observations = [*adoption.seen, *(each.created for each in dependents), *ready]
        phase = application.status.state
        if phase is Phase.INITIALIZING:
            missing = [each.type for each in (*adoption.seen, *ready) if each.status != "True"]
            message = f"waits for {', '.join(missing)}" if missing else ""
            phase = Phase.INITIALIZING if missing else Phase.INITIALIZED
            observations.append(not_ready("Initializing", message))
        self._warn_if_deprecated(application, adoption.runtime)
        return self._status.write(application, phase, *observations, **adoption.fields)

    def _warn_if_deprecated(self, application: Application, runtime: Runtime | None) -> None:
        before = application.status.runtime_spec
        is_news = before is not None and not before.deprecated
        if is_news and runtime is not None and runtime.spec is not None and runtime.spec.deprecated:
            note = f"Runtime {runtime.metadata.name} is deprecated; this Application keeps it"
            self._status.warn(application, "Deprecated", note)

    def _bring_about(self, application: Application, spec: ApplicationSpec, dependents: Sequence[Dependent]) -> Seen:
        """One phase after the other, until one stays; each is seen by everybody before the next begins."""
        while True:
            seen = self._instances.see(application, spec, dependents)
            before = application.status.state
            assert before is not None  # noqa: S101 - it has one by now
            phase = next_phase(before, spec.state, seen.sight)
            told = instance_conditions(phase, spec.state, seen.sight, seen.instance, seen.problem)
            application = self._status.write(application, phase, *told)
            if phase is before and seen.sight is not Sight.REPLACED:
                return seen


def _bundle_in_force(application: Application, adoption: Adoption) -> AdoptedBundle | None:
    found = None if adoption.bundle is None else adoption.bundle.spec
    return application.status.bundle_spec if found is None else found
