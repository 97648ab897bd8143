"""Starts and stops everything a process runs, in the right order, and tells how it is.

Guarantees: HTTP servers run before the webhooks, webhooks before the caches,
caches before the controllers; a stop goes the other way round and gives
reconciles under way their grace period, and a lease is given up only when all
of them have ended; readiness names each informer that is not up to date, and
why; informers, recorders and controllers can be added, and informers and
controllers ended, at any time; with a lease, a controller that needs the
leader begins no work and sends no write but in a term of its own, upon caches
as new as those of the leader before.
Not guaranteed: that all controllers work at the same time; each begins when
its own sources have synced.
"""

from framework.manager.component_rights import LEADER_ELECTION
from framework.manager.leader import LeaderElector, LeaderOptions
from framework.manager.manager import Manager
from framework.manager.options import ManagerOptions
from framework.manager.server import HttpServer
from framework.signals import stop_on_signals

__all__ = [
    "LEADER_ELECTION",
    "HttpServer",
    "LeaderElector",
    "LeaderOptions",
    "Manager",
    "ManagerOptions",
    "stop_on_signals",
]
