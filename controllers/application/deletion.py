"""How an Application goes: its Instance, then what that needed, its salt, and at last its finalizer."""

from apis.core.v1 import Secret
from apis.laf.application import Application, ApplicationSpec, Phase
from apis.meta import Key
from controllers.application.conditions import gone_conditions, not_ready
from controllers.application.dependencies import Dependencies
from controllers.application.dependency import DEPENDENCIES
from controllers.application.instances import Instances
from controllers.application.removal import Removal, is_ours
from controllers.application.status import ApplicationStatusWriter
from controllers.laf.labels import SALT_LABEL
from controllers.laf.names import salt_name
from framework.client import Client
from framework.clock import Clock
from framework.errors import NotFound
from framework.finalizers import Finalizer
from framework.reconcile import Result

# After so long somebody should know, and is told again.
BLOCKED_SECONDS = 60.0


class Deletion:
    def __init__(
        self,
        *,
        instances: Instances,
        dependencies: Dependencies,
        status: ApplicationStatusWriter,
        finalizer: Finalizer[Application],
        client: Client,
        clock: Clock,
    ) -> None:
        self._instances = instances
        self._dependencies = dependencies
        self._status = status
        self._finalizer = finalizer
        self._client = client
        self._clock = clock

    def run(self, application: Application) -> Result:
        # One that never had a phase may be one of several with the same appid: a phase would make it its owner.
        phase = None if application.status.state is None else Phase.STOPPING
        if self._instances.remove(application) is Removal.LEAVING:
            return self._wait(application, phase, "WaitingForInstanceDeletion", f"Instance {application.key}")
        application = self._status.write(application, phase, *gone_conditions())
        if application.spec is not None:
            application, left = self._remove_dependencies(application, application.spec, phase)
            if left:
                return self._wait(application, phase, "WaitingForDependencyDeletion", left)
        self._remove_salt(application)
        self._finalizer.finish(application)
        return Result.await_change()

    def _remove_dependencies(
        self, application: Application, spec: ApplicationSpec, phase: Phase | None
    ) -> tuple[Application, str]:
        """One after the other; which one has to be waited for, if any."""
        for dependency in reversed(DEPENDENCIES):
            seen = self._dependencies.remove(application, spec, dependency)
            application = self._status.write(application, phase, seen)
            if seen.status != "True":
                return application, f"{dependency.kind} {application.metadata.namespace}/{spec.appid}"
        return application, ""

    def _wait(self, application: Application, phase: Phase | None, reason: str, what: str) -> Result:
        self._status.write(application, phase, not_ready(reason, f"waits for {what} to go"))
        since = application.metadata.deletion_timestamp
        if since is not None and (self._clock.now() - since).total_seconds() >= BLOCKED_SECONDS:
            self._status.warn(application, "DeletionBlocked", f"{what} has not gone yet")
        return Result.after(BLOCKED_SECONDS)

    def _remove_salt(self, application: Application) -> None:
        key = Key(application.metadata.namespace, salt_name(application.metadata.name))
        try:
            salt = self._client.get(Secret, key)
            if SALT_LABEL in salt.metadata.labels and is_ours(salt, application):
                self._client.delete(Secret, key, uid=salt.metadata.uid)
        except NotFound:
            return
