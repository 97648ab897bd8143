"""From an Instance to a Deployment, a Service and a Secret on one cluster, and back."""

from apis.apps.v1 import Deployment
from apis.core.v1 import Secret
from apis.laf.cluster import Cluster
from apis.laf.instance import DesiredState, Instance, InstanceSpec
from apis.meta import Request
from controllers.instance.binder import Binder, NotJudged
from controllers.instance.bookings import Bookings
from controllers.instance.deployer import Deployer
from controllers.instance.desired import SALT, desired_of
from controllers.instance.inputs import InputReader, Inputs, Unresolved
from controllers.instance.needs import grant_of
from controllers.instance.placement import Refusal
from controllers.instance.problem import RETRY_SECONDS, NotDeployable
from controllers.instance.remote_place import RemotePlace
from controllers.instance.reports import RESOLVED, Reports, unresolved
from controllers.instance.salts import Salts
from controllers.instance.stopping import Stopping
from controllers.instance.whereabouts import Whereabouts
from controllers.laf.remotes import Remote
from controllers.laf.settings import LafSettings
from framework.client import Client
from framework.finalizers import Finalizer
from framework.listers import Lister
from framework.reconcile import Result

FINALIZER = "instance.finalizers.laf.dev"
FORCE_DELETE, REBIND = "laf.dev/force-delete", "laf.dev/rebind"
_PROTECTED = ("kube-system", "kube-public", "kube-node-lease")
_LOOK_AGAIN_SECONDS = 1.0


class Instances:
    def __init__(
        self,
        *,
        instances: Lister[Instance],
        inputs: InputReader,
        binder: Binder,
        bookings: Bookings,
        whereabouts: Whereabouts,
        salts: Salts,
        stopping: Stopping,
        reports: Reports,
        client: Client,
        settings: LafSettings,
    ) -> None:
        self._instances = instances
        self._inputs = inputs
        self._binder = binder
        self._bookings = bookings
        self._whereabouts = whereabouts
        self._salts = salts
        self._stopping = stopping
        self._reports = reports
        self._client = client
        self._settings = settings
        self._finalizer = Finalizer(client, Instance, FINALIZER)

    def reconcile(self, request: Request) -> Result:
        self._bookings.look_again(request.key)
        instance = self._instances.get(request.key)
        if instance is None:
            return Result.await_change()
        try:
            return self._delete(instance) if instance.metadata.is_being_deleted else self._keep(instance)
        except NotJudged:
            return Result.after(_LOOK_AGAIN_SECONDS)

    def _delete(self, instance: Instance) -> Result:
        if not self._finalizer.is_on(instance):
            return Result.await_change()
        if instance.metadata.annotations.get(FORCE_DELETE) == "true":
            outcome: Instance | Result = self._stopping.abandon(instance)
        else:
            outcome = self._stopping.stop(instance)
        if isinstance(outcome, Result):
            return outcome
        self._salts.remove(outcome)
        # A write of its own, after everybody could see that nothing is left.
        self._finalizer.finish(outcome)
        return Result.await_change()

    def _keep(self, instance: Instance) -> Result:
        instance = self._reports.without_leftovers(self._finalizer.ensure(instance))
        spec, namespace = instance.spec, instance.metadata.namespace
        if spec is None:
            return self._refuse(instance, Unresolved("SpecMissing", "there is no spec; complete it"))
        if namespace in _PROTECTED:
            text = f"nothing is run in namespace {namespace}; make the Instance in another one"
            return self._refuse(instance, Unresolved("ProtectedNamespace", text))
        if spec.state is DesiredState.STOPPED or self._must_move(instance, spec):
            outcome = self._stopping.stop(instance)
            # One that moves comes again at once, for its status has changed.
            return outcome if isinstance(outcome, Result) else Result.await_change()
        return self._run(instance, spec)

    def _refuse(self, instance: Instance, why: Unresolved) -> Result:
        self._reports.refused(instance, why)
        return Result.await_change()

    def _run(self, instance: Instance, spec: InstanceSpec) -> Result:
        try:
            inputs = self._inputs.read(instance, spec)
        except Unresolved as why:
            return self._observe(instance, why) if instance.status.deployment_name else self._refuse(instance, why)
        instance, cluster = self._place_of(instance)
        if cluster is None:
            bound = self._binder.bind(instance, spec, grant_of(spec.replica, inputs.bundle, inputs.runtime))
            if isinstance(bound, Refusal):
                self._reports.waiting(instance, bound)
                return Result.after(RETRY_SECONDS)
            self._reports.placed(bound)
            instance, cluster = self._place_of(bound)
        remote = None if cluster is None else self._whereabouts.remote_of(cluster)
        if cluster is None or remote is None:
            return self._without_remote(instance, cluster)
        return self._deploy(self._without_rebind(instance), spec, inputs, cluster, remote)

    def _without_remote(self, instance: Instance, cluster: Cluster | None) -> Result:
        if cluster is None:
            # What was chosen a moment ago cannot be used any more.
            return Result.after(_LOOK_AGAIN_SECONDS)
        self._reports.unreachable(instance, cluster, RESOLVED)
        return Result.await_change()

    def _place_of(self, instance: Instance) -> tuple[Instance, Cluster | None]:
        """*instance* and the Cluster that it is bound to; without records, and None, if it cannot stay there."""
        if not instance.status.cluster_uid:
            return instance, None
        cluster = self._whereabouts.cluster_of(instance)
        if cluster is None:
            return self._reports.lost(instance), None
        # Either nothing was ever sent there, or the user accepts that it runs twice for a while.
        may_leave = not instance.status.deployment_name or instance.metadata.annotations.get(REBIND) == "true"
        if may_leave and self._whereabouts.remote_of(cluster) is None:
            return self._reports.unplaced(instance), None
        return instance, cluster

    def _must_move(self, instance: Instance, spec: InstanceSpec) -> bool:
        if not spec.cluster_name or not instance.status.cluster_uid:
            return False
        pinned = self._binder.pinned(instance, spec)
        if pinned is None or pinned.metadata.is_being_deleted or pinned.spec is None:
            return False
        return pinned.spec.region == spec.region and pinned.metadata.uid != instance.status.cluster_uid

    def _without_rebind(self, instance: Instance) -> Instance:
        """It was meant for a cluster that could not be used; if it stayed, it would strike at the next one."""
        if REBIND not in instance.metadata.annotations:
            return instance
        metadata = instance.metadata
        patch = {"metadata": {"annotations": {REBIND: None}}}
        return self._client.merge_patch(
            Instance, instance.key, patch, resource_version=metadata.resource_version, uid=metadata.uid
        )

    def _deploy(
        self, instance: Instance, spec: InstanceSpec, inputs: Inputs, cluster: Cluster, remote: Remote
    ) -> Result:
        wanted = grant_of(spec.replica, inputs.bundle, inputs.runtime)
        instance, granted = self._binder.grant(instance, cluster, wanted)
        place = RemotePlace.of(instance, remote, self._settings)
        try:
            salt = self._salts.ensure(instance, lambda: _deployed_salt(place))
            desired = desired_of(instance, spec, inputs, granted, salt=salt, hub_id=self._settings.hub_id)
            deployed = Deployer(place, desired).settled()
            if deployed is None:
                instance = self._reports.begun(instance, desired)
                deployed = Deployer(RemotePlace.of(instance, remote, self._settings), desired).ensure()
        except NotDeployable as problem:
            self._reports.not_deployed(instance, problem, place.cached(Deployment))
            return Result.after(problem.retry_seconds)
        self._reports.deployed(instance, deployed, desired, granted, is_all=granted == wanted)
        return Result.await_change()

    def _observe(self, instance: Instance, why: Unresolved) -> Result:
        """What runs goes on as it was sent last, and is still looked at."""
        instance, cluster = self._place_of(instance)
        if cluster is None:
            return self._refuse(instance, why)
        remote = self._whereabouts.remote_of(cluster)
        if remote is None:
            self._reports.unreachable(instance, cluster, unresolved(why))
            return Result.await_change()
        deployment = RemotePlace.of(instance, remote, self._settings).cached(Deployment)
        if deployment is None:
            self._reports.missing(instance, unresolved(why))
        else:
            self._reports.observed(instance, deployment, unresolved(why))
        return Result.await_change()


def _deployed_salt(place: RemotePlace) -> bytes | None:
    """That of pods which run already."""
    if not place.instance.status.deployment_name:
        return None
    found = place.live(Secret)
    return found.data.get(SALT) if found is not None and place.is_ours(found) else None
