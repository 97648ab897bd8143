"""The measures, one contestant at a time."""

import msgspec

from framework.clock import SystemClock
from hack.bench.arena import NAMESPACE, Arena
from hack.bench.contestant import Contestant, ContestantError, Figures
from hack.bench.entrants import KUBERNETES_INFORMER, Entrant
from hack.bench.finish_line import FinishLine
from hack.bench.results import Ingest, Reconciles, Sync, ingest_between, sync_between

_READY_LIMIT_SECONDS = 60.0
_SYNC_LIMIT_SECONDS = 300.0
_INGEST_LIMIT_SECONDS = 300.0
_RECONCILE_LIMIT_SECONDS = 180.0
_TRIAL_LIMIT_SECONDS = 20.0
# kopf keeps a task for each object for five seconds after its last event.
_SETTLE_SECONDS = 6.0


class Sizes(msgspec.Struct, frozen=True):
    objects: int = 20_000
    kib: float = 1.0
    live_events: int = 3_000
    reconciles: int = 1_000
    workers: int = 8


def sync_and_live(arena: Arena, entrant: Entrant, sizes: Sizes) -> tuple[Sync, Ingest]:
    """On the real API server: fill the cache, settle, then follow a writer."""
    arguments = (arena.kubeconfig, NAMESPACE, str(sizes.objects), str(sizes.live_events), *entrant.arguments)
    with (
        arena.started(entrant.watch, *arguments, checkout=entrant.checkout) as contestant,
        arena.writer(sizes.live_events) as writer,
    ):
        started = _start(contestant)
        synced, server_cpu = arena.server_cpu_of(lambda: _synced(contestant))
        SystemClock().wait(_SETTLE_SECONDS)
        settled = contestant.figures()
        writer.say("go")
        ingested = contestant.wait_for("ingested", limit_seconds=_INGEST_LIMIT_SECONDS)
        sync = sync_between(started, synced, settled, objects=sizes.objects, server_cpu_seconds=server_cpu)
        return sync, ingest_between(settled, ingested, sizes.live_events)


def saturated(arena: Arena, entrant: Entrant, sizes: Sizes) -> Ingest:
    """From the replay: as many events as objects, all at once."""
    with arena.replay() as (server, kubeconfig):
        arguments = (kubeconfig, NAMESPACE, str(sizes.objects), str(sizes.objects), *entrant.arguments)
        with arena.started(entrant.watch, *arguments, checkout=entrant.checkout) as contestant:
            _start(contestant)
            _synced(contestant)
            SystemClock().wait(_SETTLE_SECONDS)
            settled = contestant.figures()
            server.say("go")
            ingested = contestant.wait_for("ingested", limit_seconds=_INGEST_LIMIT_SECONDS)
    return ingest_between(settled, ingested, sizes.objects)


def reconciles(arena: Arena, entrant: Entrant, sizes: Sizes, namespace: str) -> Reconciles:
    """One status patch for each object of a namespace that nobody has touched yet."""
    arena.populate(namespace, sizes.reconciles, kib=sizes.kib)
    arguments = (arena.kubeconfig, namespace, str(sizes.reconciles), str(sizes.workers), *entrant.arguments)
    with (
        FinishLine(arena.client, namespace, sizes.reconciles) as finish,
        arena.started(entrant.reconcile, *arguments, checkout=entrant.checkout) as contestant,
    ):
        started = _start(contestant)
        is_complete, server_cpu = arena.server_cpu_of(lambda: finish.wait(_RECONCILE_LIMIT_SECONDS))
        after = contestant.figures()
        if not is_complete:
            raise ContestantError(f"{entrant.name}: {finish.finished} of {sizes.reconciles} objects have a status")
    return Reconciles(
        cpu_seconds_per_1000=(after.cpu_seconds - started.cpu_seconds) / sizes.reconciles * 1000,
        reconciles_per_second=sizes.reconciles / (after.wall_seconds - started.wall_seconds),
        server_cpu_seconds=server_cpu,
        peak_rss_mib=after.peak_kib / 1024,
        startup_cpu_seconds=started.cpu_seconds,
    )


def trial_of_the_packages_informer(arena: Arena, sizes: Sizes) -> str:
    """Whether the `kubernetes` package's SharedInformer can be measured at all, in one line."""
    with arena.started(KUBERNETES_INFORMER, arena.kubeconfig, NAMESPACE, str(sizes.objects)) as contestant:
        _start(contestant)
        try:
            outcome = contestant.wait_for("synced", "failed", limit_seconds=_TRIAL_LIMIT_SECONDS)
        except ContestantError as error:
            return f"fails on custom objects ({error})"
    if outcome.stage == "synced":
        return "works on custom objects by now: measure it instead of list and watch"
    return f"fails on custom objects ({outcome.note}), so its CustomObjectsApi list and Watch are measured instead"


def _start(contestant: Contestant) -> Figures:
    """The figures at the start of the work: all that was before is start-up."""
    contestant.wait_for("ready", limit_seconds=_READY_LIMIT_SECONDS)
    contestant.say("go")
    return contestant.wait_for("started", limit_seconds=_READY_LIMIT_SECONDS)


def _synced(contestant: Contestant) -> Figures:
    return contestant.wait_for("synced", limit_seconds=_SYNC_LIMIT_SECONDS)
