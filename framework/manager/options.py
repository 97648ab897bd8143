"""What can be chosen about a manager."""

from pathlib import Path

import msgspec

from apis.meta import Key
from framework.clusters import ClusterOptions
from framework.events import EventOptions
from framework.journal import JournalOptions
from framework.manager.leader import LeaderOptions
from framework.webhooks import WebhookOptions


class ManagerOptions(msgspec.Struct, frozen=True):
    """Addresses are HOST:PORT or :PORT; empty means: no such server. Both may be the same."""

    health_address: str = ""
    metrics_address: str = ""
    # Metrics over TLS, for those alone whom the API server knows by their token and lets get /metrics.
    metrics_secure: bool = False
    # With tls.crt and tls.key, which may change; None: the process signs a certificate for itself.
    metrics_certificate_folder: Path | None = None
    # Where `windlass explain` asks; on loopback only.
    debug_address: str = ""
    journal: JournalOptions = JournalOptions()
    grace_period_seconds: float = 30.0
    # None: every controller works at once, without asking.
    lease: Key | None = None
    leader: LeaderOptions = LeaderOptions()
    # Tells this process from its replicas, in leases and events; empty: made up, so that no two are the same.
    identity: str = ""
    # The namespaces that informers watch unless they say otherwise; an empty one is all.
    namespaces: tuple[str, ...] = ("",)
    events: EventOptions = EventOptions()
    webhooks: WebhookOptions = WebhookOptions()
    clusters: ClusterOptions = ClusterOptions()
    # Watch CustomResourceDefinitions, names only, so that an informer of a kind begins the moment it is defined and
    # not up to 8 seconds later. Needs the right to list and watch them.
    follow_definitions: bool = False
