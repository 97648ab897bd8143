"""From a WorkerBundle to what serves it."""

from typing import Any, Protocol

from apis.cfworker.workerbundle import WorkerBundle
from apis.core.v1 import Secret
from apis.meta import Request
from controllers.reporting.observation import Observation
from controllers.reporting.recorder import Recorder
from controllers.reporting.status_writer import StatusWriter
from controllers.workerbundle.children import BundleChildren, Recreating, Refused
from controllers.workerbundle.images import BundleImages
from controllers.workerbundle.rollout import availability
from controllers.workerbundle.validation import check, missing_secrets
from controllers.workers.script_rules import InvalidInput
from framework.finalizers import Finalizer
from framework.listers import Lister
from framework.reconcile import Result

_DEPLOYED, _AVAILABLE = "Deployed", "Available"
_LOOK_AGAIN_SECONDS = 60.0


class BundlePods(Protocol):
    def has_any(self, bundle: WorkerBundle) -> bool:
        """Whether pods of *bundle* are left."""


class WorkerBundles:
    def __init__(
        self,
        *,
        bundles: Lister[WorkerBundle],
        secrets: Lister[Secret],
        children: BundleChildren,
        pods: BundlePods,
        images: BundleImages,
        finalizer: Finalizer[WorkerBundle],
        status: StatusWriter[WorkerBundle],
        recorder: Recorder,
    ) -> None:
        self._bundles = bundles
        self._secrets = secrets
        self._children = children
        self._pods = pods
        self._images = images
        self._finalizer = finalizer
        self._status = status
        self._recorder = recorder

    def reconcile(self, request: Request) -> Result:
        bundle = self._bundles.get(request.key)
        if bundle is None:
            return Result.await_change()
        if bundle.metadata.is_being_deleted:
            return self._finish(bundle)
        bundle = self._images.record(bundle)
        try:
            check(bundle, self._secrets)
        except InvalidInput as why:
            self._report(bundle, Observation("Valid", "False", why.reason, str(why)))
            return Result.await_change()
        if not bundle.spec.workers or not bundle.spec.pod_template.image:
            return self._take_down(bundle)
        return self._serve(bundle)

    def _finish(self, bundle: WorkerBundle) -> Result:
        if not self._finalizer.needs_cleanup(bundle):
            return Result.await_change()
        self._children.remove(bundle)
        if self._is_still_running(bundle):
            if seconds := self._images.seconds_to_wait(bundle):
                return Result.after(seconds)
            self._images.give_up(bundle, "pods that run them do not end")
        else:
            self._images.purge_all(bundle)
        self._finalizer.finish(bundle)
        return Result.await_change()

    def _take_down(self, bundle: WorkerBundle) -> Result:
        self._children.remove(bundle)
        reason = "NoImage" if bundle.spec.workers else "NoWorkers"
        is_running = self._is_still_running(bundle)
        bundle = self._report(
            bundle,
            self._valid(bundle),
            Observation(_DEPLOYED, "False", reason),
            Observation(_AVAILABLE, "False", reason),
            names=None,
            image=bundle.status.image if is_running else "",
            readyReplicas=0,
        )
        if not is_running:
            self._images.purge_earlier(bundle)
        return Result.await_change()

    def _serve(self, bundle: WorkerBundle) -> Result:
        try:
            applied = self._children.apply(bundle)
        except Recreating:
            return Result.await_change()
        except Refused as why:
            self._report(bundle, self._valid(bundle), Observation(_DEPLOYED, "False", why.reason, str(why)))
            return Result.after(_LOOK_AGAIN_SECONDS)
        available = availability(applied.deployment)
        is_out = available.status == "True"
        bundle = self._report(
            bundle,
            self._valid(bundle),
            Observation(_DEPLOYED, "True", "Deployed"),
            available,
            names=applied.names,
            image=bundle.spec.pod_template.image if is_out else bundle.status.image,
            readyReplicas=applied.deployment.status.ready_replicas if applied.deployment else 0,
        )
        if applied.has_deployed:
            note = f"Deployment {applied.names.deployment} has {bundle.spec.pod_template.image}"
            self._recorder.record(bundle, "Normal", "Deployed", note, action="Deploy")
        if is_out:
            self._images.purge_earlier(bundle)
        return Result.await_change()

    def _is_still_running(self, bundle: WorkerBundle) -> bool:
        return self._children.deployment_of(bundle) is not None or self._pods.has_any(bundle)

    def _valid(self, bundle: WorkerBundle) -> Observation:
        missing = missing_secrets(bundle, self._secrets)
        if missing:
            return Observation("Valid", "True", "SecretMissing", f"there is no Secret {', '.join(missing)}")
        return Observation("Valid", "True", "Valid")

    def _report(self, bundle: WorkerBundle, *observations: Observation, **fields: Any) -> WorkerBundle:
        return self._status.write(
            bundle,
            *observations,
            **fields,
            workerCount=len(bundle.spec.workers),
            observedGeneration=bundle.metadata.generation,
        )
