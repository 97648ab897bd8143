"""Takes an Instance down, for a while or for good."""

from apis.laf.cluster import Cluster
from apis.laf.instance import Instance
from controllers.instance.remote_place import RemotePlace
from controllers.instance.reports import Reports, reason_of
from controllers.instance.take_down import take_down
from controllers.instance.whereabouts import Whereabouts
from controllers.laf.settings import LafSettings
from framework.reconcile import Result

_STILL_THERE_SECONDS = 2.0


class Stopping:
    def __init__(self, *, whereabouts: Whereabouts, reports: Reports, settings: LafSettings) -> None:
        self._whereabouts = whereabouts
        self._reports = reports
        self._settings = settings

    def stop(self, instance: Instance) -> Instance | Result:
        """*instance* once nothing of it is left on its cluster; until then, what to wait for."""
        status = instance.status
        if not status.cluster_uid or not status.deployment_name:
            # Nothing was ever sent anywhere.
            return self._reports.stopped(instance)
        cluster = self._whereabouts.cluster_of(instance)
        if cluster is None:
            self._reports.orphaned(instance, "the Cluster is gone")
            return self._reports.stopped(instance)
        return self._take_down(instance, cluster)

    def abandon(self, instance: Instance) -> Instance:
        """As if it were stopped; the sweep of its Cluster deletes what is there."""
        if instance.status.deployment_name:
            self._reports.orphaned(instance, "it was deleted by force")
        return self._reports.stopped(instance)

    def _take_down(self, instance: Instance, cluster: Cluster) -> Instance | Result:
        remote = self._whereabouts.remote_of(cluster)
        if remote is None:
            text = f"Cluster {cluster.key}: {reason_of(cluster)}; it goes on when the Cluster is ready again"
            self._reports.stopping(instance, "ClusterUnreachable", text)
            return Result.await_change()
        instance = self._reports.stopping(instance, "Deleting", "")
        left = take_down(RemotePlace.of(instance, remote, self._settings))
        if left:
            self._reports.stopping(instance, "Deleting", f"waits for {', '.join(left)} to be gone")
            return Result.after(_STILL_THERE_SECONDS)
        return self._reports.stopped(instance)
