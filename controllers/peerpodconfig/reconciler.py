"""From a PeerPodConfig to nodes that can have peer pods.

Every reconcile looks at all configs and all nodes, because what one config gets depends on the others; it writes for
its own config alone. Nothing is remembered that could not be lost: a life that ends after any write is continued by
the next one.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

import msgspec
from prometheus_client import CollectorRegistry

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from apis.core.v1 import Namespace, Node
from apis.meta import Key, Request
from controllers.peerpodconfig.allocation import Allocation, allocate
from controllers.peerpodconfig.announcements import Announcements
from controllers.peerpodconfig.corrections import Corrections
from controllers.peerpodconfig.daemon_set import INSTANCE_TYPE_VARIABLES
from controllers.peerpodconfig.judgement import SETTINGS_RESOLVED, Judged, judge
from controllers.peerpodconfig.metrics import ConfigMetrics
from controllers.peerpodconfig.node_writer import NodesWritten, NodeWriter
from controllers.peerpodconfig.operands import AppliedDaemonSet, Operands
from controllers.peerpodconfig.orphans import Orphans
from controllers.peerpodconfig.parallel import Parallel
from controllers.peerpodconfig.reading import StoredConfig, StoredConfigs
from controllers.peerpodconfig.report import (
    DAEMON_SET_READY,
    NODES_ADVERTISED,
    PROBLEMS,
    READY,
    RELEASED,
    WEBHOOK_READY,
    Reached,
    daemon_set_ready,
    observations,
    webhook_ready,
)
from controllers.peerpodconfig.seams import Objects, WebhookRollout, live_objects
from controllers.peerpodconfig.settings import SettingsReader
from controllers.peerpodconfig.webhook.disabled import NoWebhookRollout
from controllers.peerpodconfig.webhook.state import WebhookState
from controllers.peerpods.names import CONFIG_FINALIZER, CONFIG_LABEL, FIELD_MANAGER, KNOWN_PROVIDERS
from controllers.peerpods.options import PeerPodOptions
from controllers.reporting.observation import Observation
from controllers.reporting.recorder import NoRecorder, Recorder
from controllers.reporting.status_writer import StatusWriter
from framework.client import Client
from framework.clock import Clock, SystemClock
from framework.conditions import find_condition
from framework.errors import Forbidden, LeadershipLost, NotFound, WindlassError
from framework.finalizers import Finalizer
from framework.reconcile import Result
from framework.runtime import Runtime, ThreadRuntime

T = TypeVar("T")

ACTION = "RollOut"
_PATCHES_AT_A_TIME = 8
_SETTINGS_RETRY_SECONDS = 60.0
# Asks for no config, but for a look at what configs may have left.
SWEEP = Request(Key("", "orphans"))


class World(msgspec.Struct, frozen=True):
    """Everything that counts, seen at one moment."""

    stored: Sequence[StoredConfig]
    judged: dict[str, Judged]
    nodes: dict[str, Node]
    allocation: Allocation

    @property
    def living(self) -> frozenset[str]:
        return frozenset(each.config.metadata.uid for each in self.stored)

    def held_by(self, uid: str) -> list[Node]:
        """Nodes with the label of *uid* that nobody wins."""
        return [
            node
            for name, node in sorted(self.nodes.items())
            if node.metadata.labels.get(CONFIG_LABEL) == uid and name not in self.allocation.winners
        ]


class PeerPodConfigReconciler:
    """Needs no running manager: without *objects* it asks the server whenever it looks."""

    def __init__(
        self,
        client: Client,
        options: PeerPodOptions,
        recorder: Recorder | None = None,
        clock: Clock | None = None,
        *,
        runtime: Runtime | None = None,
        objects: Objects | None = None,
        webhook: WebhookRollout | None = None,
        metrics: ConfigMetrics | None = None,
        providers: Iterable[str] = (),
    ) -> None:
        client = client.acting_as(FIELD_MANAGER)
        clock, recorder = clock or SystemClock(), recorder or NoRecorder()
        objects = objects or live_objects(client, options.namespace)
        self._client = client
        self._options = options
        self._metrics = metrics or ConfigMetrics(CollectorRegistry())
        self._webhook: WebhookRollout = webhook or NoWebhookRollout()
        self._configs = StoredConfigs(objects.configs)
        self._nodes = objects.nodes
        known = frozenset((*KNOWN_PROVIDERS, *options.extra_cloud_providers, *providers))
        self._settings = SettingsReader(objects.config_maps, objects.secrets, namespace=options.namespace, known=known)
        self._corrections = Corrections(clock)
        parallel = Parallel(runtime or ThreadRuntime(), _PATCHES_AT_A_TIME, "peerpodconfig-node")
        self._writer = NodeWriter(client, options, parallel, self._corrections, self._metrics)
        self._operands = Operands(
            client, options, daemon_sets=objects.daemon_sets, service_accounts=objects.service_accounts
        )
        self._orphans = Orphans(client, self._writer, self._operands)
        self._finalizer = Finalizer(client, PeerPodConfig, CONFIG_FINALIZER)
        self._announcements = Announcements(recorder, clock, action=ACTION)
        self._status: StatusWriter[PeerPodConfig] = StatusWriter(
            client, recorder, clock, problems=PROBLEMS, action=ACTION, explicit=frozenset({"setupCompleted"})
        )

    def reconcile(self, request: Request) -> Result:
        world = self._look()
        errors: dict[str, str] = {}
        _attempt(errors, "orphans", lambda: self._sweep(world))
        stored = next((each for each in world.stored if each.config.key == request.key), None)
        result = Result.await_change()
        if stored is None:
            self._forget(request, world)
        elif stored.config.metadata.is_being_deleted:
            self._release(stored.config, world)
        else:
            result = self._roll_out(world.judged[stored.config.metadata.uid], world, errors)
        if errors:
            raise WindlassError("; ".join(f"{part}: {why}" for part, why in errors.items()))
        return result

    def _look(self) -> World:
        stored = self._configs.list()
        staying = [each for each in stored if not each.config.metadata.is_being_deleted]
        judged = {each.config.metadata.uid: judge(each, self._settings) for each in staying}
        nodes = {node.metadata.name: node for node in self._nodes.list()}
        allocation = allocate([each.claim for each in judged.values()], nodes.values())
        return World(stored, judged, nodes, allocation)

    def _sweep(self, world: World) -> None:
        self._orphans.sweep(world.living, list(world.nodes.values()), world.allocation.winners)
        if not world.stored:
            self._webhook.remove()

    def _forget(self, request: Request, world: World) -> None:
        if request != SWEEP:
            self._metrics.forget(request.key)
        self._announcements.forget_all_but(world.living)
        self._corrections.forget_all_but(frozenset(node.metadata.uid for node in world.nodes.values()))

    def _release(self, config: PeerPodConfig, world: World) -> None:
        if not self._finalizer.is_on(config):
            return
        uid, errors = config.metadata.uid, dict[str, str]()
        written = _attempt(errors, "nodes", lambda: self._writer.release(world.held_by(uid)))
        if written is not None and written.failed:
            errors["nodes"] = written.problem
        _attempt(errors, "DaemonSet", lambda: self._operands.remove_daemon_sets(uid))
        _attempt(errors, "webhook", lambda: self._leave_webhook(world))
        if errors:
            why = "; ".join(f"{part}: {why}" for part, why in errors.items())
            self._status.write(config, Observation(RELEASED, "False", "ReleaseFailed", why), setupCompleted=False)
            raise WindlassError(why)
        self._finalizer.finish(config)

    def _leave_webhook(self, world: World) -> None:
        others = _with_a_word_about_the_webhook(world)
        if others:
            self._webhook.apply(others)
        else:
            self._webhook.remove()

    def _roll_out(self, judged: Judged, world: World, errors: dict[str, str]) -> Result:
        judged = msgspec.structs.replace(judged, config=self._finalizer.ensure(judged.config))
        if judged.settings is None:
            return self._freeze(judged, world, errors)
        reached = self._reach(judged, world)
        self._tell(judged, reached)
        self._report(judged, reached)
        errors |= reached.errors
        return _next_look(reached)

    def _freeze(self, judged: Judged, world: World, errors: dict[str, str]) -> Result:
        """Nothing of what was rolled out is changed, but what time wears out: it is only told how it is, and why."""
        seen = [judged.accepted]
        if judged.resolved is not None:
            seen.append(self._explained(judged.resolved))
        why = seen[-1]
        waits = [_SETTINGS_RETRY_SECONDS] if why.type == SETTINGS_RESOLVED else []
        if judged.config.status.daemon_set_name:
            seen.append(self._frozen_daemon_set(judged.config))
            # Certificates of a webhook that pods depend on end, whatever the settings are.
            if _with_a_word_about_the_webhook(world):
                webhook = _attempt(errors, WEBHOOK_READY, lambda: self._apply_webhook(world))
                seen.append(webhook_ready(webhook, errors.get(WEBHOOK_READY, "")))
                waits += [] if webhook is None else [webhook.look_again_seconds]
        seen.append(Observation(READY, "False", "NotReady", f"not yet: {why.type}"))
        generation = judged.config.metadata.generation
        self._status.write(judged.config, *seen, setupCompleted=False, observedGeneration=generation)
        return Result.after(min(waits)) if waits else Result.await_change()

    def _frozen_daemon_set(self, config: PeerPodConfig) -> Observation:
        name = config.status.daemon_set_name
        return daemon_set_ready(
            self._operands.daemon_set_of(config), f"DaemonSet {name} is gone; it comes back when this config is mended"
        )

    def _explained(self, resolved: Observation) -> Observation:
        if resolved.reason != "SettingsNotFound":
            return resolved
        try:
            self._client.get(Namespace, Key("", self._options.namespace))
        except NotFound:
            why = f"namespace {self._options.namespace} does not exist; create it, with the settings in it"
            return Observation(SETTINGS_RESOLVED, "False", "OperandNamespaceMissing", why)
        except Forbidden:
            # A right that holds in this namespace alone is gone with it: nothing is known.
            return resolved
        return resolved

    def _reach(self, judged: Judged, world: World) -> Reached:
        """Every part is tried, whatever became of the others."""
        config, errors = judged.config, dict[str, str]()
        uid = config.metadata.uid
        quantities = world.allocation.quantities[uid]
        nodes = _attempt(errors, NODES_ADVERTISED, lambda: self._write_nodes(uid, world)) or NodesWritten()
        if nodes.failed:
            errors[NODES_ADVERTISED] = nodes.problem
        return Reached(
            quantities=quantities,
            lost=_by_key(world, uid),
            nodes=nodes,
            daemon_set=_attempt(errors, DAEMON_SET_READY, lambda: self._apply_operands(judged, world)),
            webhook=_attempt(errors, WEBHOOK_READY, lambda: self._apply_webhook(world)),
            errors=errors,
        )

    def _write_nodes(self, uid: str, world: World) -> NodesWritten:
        released = self._writer.release(world.held_by(uid))
        assigned = self._writer.assign(uid, world.allocation.quantities[uid], world.nodes)
        return msgspec.structs.replace(assigned, failed={**released.failed, **assigned.failed})

    def _apply_operands(self, judged: Judged, world: World) -> AppliedDaemonSet | None:
        if judged.settings is None:
            return None
        self._operands.ensure_service_account()
        others = {
            each.config.metadata.uid: each.config.status.daemon_set_name
            for each in world.stored
            if each.config.metadata.uid != judged.config.metadata.uid
        }
        return self._operands.apply_daemon_set(judged.config, judged.settings, others)

    def _apply_webhook(self, world: World) -> WebhookState:
        return self._webhook.apply(_with_a_word_about_the_webhook(world))

    def _tell(self, judged: Judged, reached: Reached) -> None:
        config, told = judged.config, self._announcements
        if reached.nodes.contested:
            names = ", ".join(reached.nodes.contested[:5])
            told.tell(config, "Warning", "CapacityContested", f"others keep changing the number of VMs of {names}")
        if judged.settings is None:
            return
        is_new = config.status.observed_generation != config.metadata.generation
        is_ignored = judged.settings.provider not in INSTANCE_TYPE_VARIABLES
        if config.spec.instance_type and is_ignored and (is_new or not config.status.cloud_provider):
            note = f"the adaptor for {judged.settings.provider} knows no default type of VMs"
            told.tell(config, "Warning", "InstanceTypeIgnored", note)
        applied = reached.daemon_set
        if applied is not None and applied.is_name_taken and applied.name != config.status.daemon_set_name:
            note = f"the usual name is taken by an object of somebody else; the DaemonSet is called {applied.name}"
            told.tell(config, "Warning", "NameTaken", note)
        if applied is not None and applied.deed == "written":
            told.tell(config, "Normal", "DaemonSetApplied", f"DaemonSet {applied.name} was applied")

    def _report(self, judged: Judged, reached: Reached) -> None:
        config, settings = judged.config, judged.settings
        seen = observations(judged, reached)
        advertised = sum(reached.quantities.values()) if reached.nodes.is_complete else config.status.advertised_vms
        fields: dict[str, object] = {
            "setupCompleted": reached.is_set_up and not reached.errors,
            "observedGeneration": config.metadata.generation,
            "cloudProvider": "" if settings is None else settings.provider,
            "selectedNodes": len(reached.quantities),
            "advertisedVMs": advertised,
        }
        if reached.daemon_set is not None:
            fields["daemonSetName"] = reached.daemon_set.name
        self._status.write(config, *seen, **fields)
        self._metrics.advertised.labels(str(config.key)).set(advertised)
        for each, reason in _news(config, seen, has_lost=bool(reached.lost)):
            self._announcements.tell(
                config, "Normal" if reason == NODES_ADVERTISED else "Warning", reason, each.message
            )


def _news(config: PeerPodConfig, seen: Iterable[Observation], *, has_lost: bool) -> Iterator[tuple[Observation, str]]:
    """Observations that say something that the status did not say before, with the reason of their event."""
    for each in seen:
        before = find_condition(config.status.conditions, each.type)
        if before is not None and (before.status, before.message) == (each.status, each.message):
            continue
        if each.type == NODES_ADVERTISED and has_lost:
            yield each, "NodeContested"
        if each.type == NODES_ADVERTISED and each.status == "True":
            yield each, NODES_ADVERTISED
        if each.type == SETTINGS_RESOLVED and each.status == "True" and each.message:
            yield each, "SettingsOverlap"


def _attempt(errors: dict[str, str], part: str, act: Callable[[], T]) -> T | None:
    """What *act* returns; None if it failed, and then *errors* say why."""
    try:
        return act()
    except LeadershipLost:
        raise
    except WindlassError as error:
        errors[part] = str(error)
        return None


def _with_a_word_about_the_webhook(world: World) -> list[PeerPodConfig]:
    """All that stay, and can be read."""
    return [each.config for each in world.stored if not each.problem and not each.config.metadata.is_being_deleted]


def _by_key(world: World, uid: str) -> dict[str, int]:
    keys = {other: str(each.config.key) for other, each in world.judged.items()}
    return {keys[other]: count for other, count in world.allocation.lost[uid].items()}


def _next_look(reached: Reached) -> Result:
    waits = [reached.nodes.retry_seconds, None if reached.webhook is None else reached.webhook.look_again_seconds]
    seconds = min((each for each in waits if each is not None), default=None)
    return Result.await_change() if seconds is None else Result.after(seconds)
