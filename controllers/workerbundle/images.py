"""The images of a bundle from their first use to their end."""

from typing import Any

import msgspec
import structlog

from apis.cfworker.workerbundle import BundleImage, WorkerBundle
from controllers.reporting.observation import Observation
from controllers.reporting.recorder import Recorder
from controllers.reporting.status_writer import StatusWriter
from controllers.workerbundle.image_history import history_of, retired, without
from controllers.workerbundle.purge import Purger
from controllers.workers.bundle_patch import joined, last_images
from controllers.workers.keys import LAST_IMAGE
from controllers.workers.patience import Patience
from framework.client import Client
from framework.clock import Clock
from framework.errors import WindlassError
from framework.finalizers import Finalizer

_PURGED = "Purged"
_log = structlog.get_logger("windlass.workerbundle")


class BundleImages:
    def __init__(
        self,
        *,
        purger: Purger,
        finalizer: Finalizer[WorkerBundle],
        status: StatusWriter[WorkerBundle],
        client: Client,
        recorder: Recorder,
        clock: Clock,
        default_registry: str,
    ) -> None:
        self._purger = purger
        self._finalizer = finalizer
        self._status = status
        self._client = client
        self._recorder = recorder
        self._patience = Patience(clock)
        self._default_registry = default_registry

    def record(self, bundle: WorkerBundle) -> WorkerBundle:
        """Remember the bundle's image before it runs: whatever happens then, it is not forgotten."""
        history = history_of(bundle, self._default_registry)
        if not history.images:
            return bundle
        return self._status.write(self._finalizer.ensure(bundle), imageHistory=list(history.images))

    def purge_earlier(self, bundle: WorkerBundle) -> WorkerBundle:
        """Delete what nothing runs any more; only the bundle's image does. Raise to be asked again."""
        history, limit = history_of(bundle, self._default_registry), bundle.spec.image_history_limit
        doomed = [*history.doomed(limit), *retired(bundle, history)]
        kept = history.kept(limit)
        outcome = self._purger.purge(bundle, doomed, history, kept)
        left = without(history.images, outcome.done)
        bundle = self._take_off(bundle, [*outcome.done, *history.images])
        disabled = [*bundle.status.unpurged, *(each.image for each in outcome.disabled)]
        bundle = self._status.write(bundle, _observed(disabled, doomed), imageHistory=left, unpurged=disabled)
        if not left and self._finalizer.is_on(bundle):
            self._finalizer.finish(bundle)
        return bundle

    def purge_all(self, bundle: WorkerBundle) -> None:
        """Of a bundle that goes; best effort, for a while."""
        history = history_of(bundle, self._default_registry)
        everything = [*history.images, *retired(bundle, history)]
        try:
            self._purger.purge(bundle, everything, msgspec.structs.replace(history, current=""), [])
        except WindlassError as error:
            if self.seconds_to_wait(bundle):
                raise
            self.give_up(bundle, str(error))
        else:
            self._patience.end(bundle.metadata.uid)

    def seconds_to_wait(self, bundle: WorkerBundle) -> float:
        """For what a bundle that goes still has; 0: it was long enough."""
        return self._patience.seconds_left(bundle.metadata.uid)

    def give_up(self, bundle: WorkerBundle, why: str) -> None:
        _log.warning("images_left", bundle=str(bundle.key), why=why)
        note = f"images stay in the registry: {why}"
        self._recorder.record(bundle, "Warning", "PurgeRefused", note, action="Purge")
        self._patience.end(bundle.metadata.uid)

    def _take_off(self, bundle: WorkerBundle, answered: list[BundleImage]) -> WorkerBundle:
        """The annotation, as far as it is answered: what the history has is not forgotten."""
        names = {each.image for each in answered}
        before = last_images(bundle)
        after = [image for image in before if image not in names]
        if before == after:
            return bundle
        patch: dict[str, Any] = {"metadata": {"annotations": {LAST_IMAGE: joined(after)}}}
        metadata = bundle.metadata
        return self._client.merge_patch(
            WorkerBundle, bundle.key, patch, resource_version=metadata.resource_version, uid=metadata.uid
        )


def _observed(disabled: list[str], doomed: list[BundleImage]) -> Observation:
    if disabled:
        return Observation(_PURGED, "False", "RegistryDeleteDisabled", f"the registry keeps {', '.join(disabled)}")
    return Observation(_PURGED, "True", "Purged" if doomed else "NothingToPurge")
