"""Whether a Cluster can be used, as far as is known now."""

import math

from apis.laf.cluster import Cluster
from controllers.cluster.failure import Failure
from controllers.cluster.identity import identity_problem
from controllers.cluster.kubeconfig import credentials_of
from controllers.cluster.link import Link, Links
from controllers.cluster.look import Look
from controllers.cluster.probe import Findings
from controllers.cluster.reasons import (
    CLUSTER_READY,
    FORBIDDEN,
    INVALID_CONFIG,
    READY,
    UNREACHABLE,
    not_ready,
)
from controllers.laf.client_config import config_hash
from controllers.laf.remote_objects import REMOTE_KINDS, ours
from controllers.laf.settings import LafSettings
from controllers.reporting.observation import Observation
from framework.clock import Clock
from framework.clusters import RemoteCluster
from framework.conditions import find_condition, is_true
from framework.errors import ConfigurationError
from framework.randomness import Random

SYNC_SECONDS = 30.0
_SYNC_POLL_SECONDS = 0.2
_LONGEST_PAUSE_SECONDS = 60.0
_LEAST, _MOST = 0.9, 1.1


class Judge:
    def __init__(
        self,
        links: Links,
        look: Look,
        *,
        settings: LafSettings,
        retry_seconds: float,
        clock: Clock,
        random: Random,
    ) -> None:
        """*retry_seconds* is how often the prober asks a cluster that does not answer."""
        self._links = links
        self._look = look
        self._settings = settings
        self._retry_seconds = retry_seconds
        self._clock = clock
        self._random = random

    def ready(self, cluster: Cluster, link: Link) -> Observation | None:
        """None: nothing is known yet, or it may pass; what was told before still holds."""
        problem = self._connect(cluster, link)
        if problem is not None or link.remote is None:
            return problem
        has_looked = self._look.at(link, link.remote)
        ready = self._concluded(cluster, link, link.remote)
        if has_looked:
            link.due = self._clock.monotonic() + self._pause(link, ready)
        return ready

    def seconds_to_next(self, link: Link) -> float | None:
        """When to come again; None: when the object changes."""
        if link.remote is None:
            return None
        if link.outcome is None:
            # The first answer is an event, and comes sooner.
            return self._retry_seconds
        now = self._clock.monotonic()
        is_filling = link.sync_until is not None and now < link.sync_until
        return min(max(0.0, link.due - now), _SYNC_POLL_SECONDS if is_filling else math.inf)

    def _connect(self, cluster: Cluster, link: Link) -> Observation | None:
        wanted = config_hash(cluster.spec.client_config) if cluster.spec is not None else ""
        if wanted and wanted == link.config_hash:
            return None
        credentials = credentials_of(cluster, allow_insecure=self._settings.allow_insecure_clusters)
        if isinstance(credentials, Observation):
            self._links.cut(cluster.key, link)
            return credentials
        try:
            self._links.connect(cluster.key, link, credentials, wanted)
        except ConfigurationError as error:
            self._links.cut(cluster.key, link)
            return not_ready(INVALID_CONFIG, str(error))
        return None

    def _concluded(self, cluster: Cluster, link: Link, remote: RemoteCluster) -> Observation | None:
        match link.outcome:
            case None:
                return None
            case Failure() as failure:
                return None if self._may_pass(failure, cluster, link) else _told(failure, cluster)
            case Findings(missing_rights=missing) if missing:
                return not_ready(FORBIDDEN, f"missing rights in all namespaces: {', '.join(missing)}")
            case Findings() as findings:
                return identity_problem(cluster, findings.cluster_id) or self._synced(findings, link, remote)

    def _may_pass(self, failure: Failure, cluster: Cluster, link: Link) -> bool:
        """Whether one that was ready, with the kubeconfig that it has now, is given some more time."""
        was_ready = is_true(cluster.status.conditions, READY) and cluster.status.client_config_hash == link.config_hash
        return failure.may_pass and was_ready and link.failed_looks < self._settings.probe_failures

    def _synced(self, findings: Findings, link: Link, remote: RemoteCluster) -> Observation | None:
        informers = [remote.informer(kind, ours(self._settings.hub_id)) for kind in REMOTE_KINDS]
        late = next((informer for informer in informers if not informer.has_synced), None)
        if late is None:
            link.sync_until = None
            return Observation(READY, "True", CLUSTER_READY, f"it answers as Kubernetes {findings.server_version}")
        now = self._clock.monotonic()
        if link.sync_until is None:
            link.sync_until = now + SYNC_SECONDS
        if now < link.sync_until:
            return None
        return not_ready(UNREACHABLE, f"its {late.resource_type} were not listed within {SYNC_SECONDS:g} s")

    def _pause(self, link: Link, ready: Observation | None) -> float:
        if ready is None:
            seconds = self._retry_seconds
        elif ready.reason == CLUSTER_READY:
            seconds, link.refusals = self._settings.probe_seconds, 0
        else:
            seconds = min(self._retry_seconds * 2.0**link.refusals, _LONGEST_PAUSE_SECONDS)
            # Large enough, and never too large for a power.
            link.refusals = min(link.refusals + 1, 16)
        return seconds * self._random.uniform(_LEAST, _MOST)


def _told(failure: Failure, cluster: Cluster) -> Observation:
    """Each try fails in words of its own, with times in them: while nothing else is new, the first ones stay."""
    told = find_condition(cluster.status.conditions, READY)
    is_old = told is not None and told.observed_generation == cluster.metadata.generation
    if told is not None and is_old and told.reason == failure.reason:
        return not_ready(failure.reason, told.message)
    return not_ready(failure.reason, failure.message)
