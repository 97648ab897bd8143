"""The webhooks of one process: what is declared, and the server for it."""

from collections.abc import Callable
from typing import Any, TypeVar

from prometheus_client import CollectorRegistry

from apis.meta import KubeObject, ResourceType
from framework.certificates.trust import Place
from framework.client import Client, Codecs, Kind
from framework.clock import Clock
from framework.errors import ConfigurationError
from framework.loading import LOADING
from framework.rights import Right
from framework.runtime import Runtime
from framework.store import Change
from framework.webhooks.configuration import CONFIGURATION_OF, configuration, hosts_of, name_of
from framework.webhooks.conversion import ConversionHook
from framework.webhooks.hooks import AdmissionHook, Hook, Mutator, Validator, admission_hook
from framework.webhooks.options import HookOptions, WebhookOptions
from framework.webhooks.rights import webhook_rights

T = TypeVar("T", bound=KubeObject)
A = TypeVar("A", bound=KubeObject)
B = TypeVar("B", bound=KubeObject)


class Webhooks:
    """Declared before the start; without any, nothing is served and nothing is loaded."""

    def __init__(
        self,
        client: Client,
        options: WebhookOptions,
        *,
        clock: Clock,
        runtime: Runtime,
        registry: CollectorRegistry,
        leads: Callable[[], bool] = lambda: True,
    ) -> None:
        self._client = client
        self._options = options
        self._clock = clock
        self._runtime = runtime
        self._registry = registry
        self._leads = leads
        self._codecs = Codecs()
        self._admission: dict[str, AdmissionHook[Any]] = {}
        self._conversion = ConversionHook()
        # A ServedWebhooks, of which this module must not know: its parts take a while to load.
        self._served: Any = None

    def validate(self, kind: Kind[T], validator: Validator[T], options: HookOptions | None = None) -> None:
        """Have *validator* asked before an object of *kind* is stored; it raises Denied to refuse."""
        self._add(admission_hook("validate", self._codecs.of(kind), validator, options or HookOptions()))

    def mutate(self, kind: Kind[T], mutator: Mutator[T], options: HookOptions | None = None) -> None:
        """Have *mutator* make of each object of *kind* what shall be stored; it returns the changed object."""
        self._add(admission_hook("mutate", self._codecs.of(kind), mutator, options or HookOptions()))

    def convert(self, one: Kind[A], other: Kind[B], forth: Callable[[A], B], back: Callable[[B], A]) -> None:
        """Convert between two versions of a kind; further versions are reached over several steps."""
        source: Any = self._codecs.of(one)
        target: Any = self._codecs.of(other)
        self._conversion.add(source, target, forth)
        self._conversion.add(target, source, back)

    @property
    def hooks(self) -> list[Hook]:
        conversions: list[Hook] = [self._conversion] if self._conversion.resource_types else []
        return [*self._admission.values(), *conversions]

    @property
    def admission_hooks(self) -> list[AdmissionHook[Any]]:
        return list(self._admission.values())

    @property
    def converted(self) -> list[ResourceType]:
        """One version of each kind that is converted."""
        return self._conversion.resource_types

    def manifests(self) -> list[dict[str, Any]]:
        """The webhook configurations without a CA bundle, for a chart that wants to hold them itself."""
        by_type: dict[ResourceType, list[AdmissionHook[Any]]] = {}
        for hook in self._admission.values():
            by_type.setdefault(CONFIGURATION_OF[hook.what], []).append(hook)
        return [configuration(each, hooks, self._options) for each, hooks in by_type.items()]

    def rights(self) -> tuple[Right, ...]:
        """What this process must be allowed to do for its webhooks."""
        if not self.hooks:
            return ()
        configurations = dict.fromkeys(CONFIGURATION_OF[hook.what] for hook in self._admission.values())
        return tuple(webhook_rights(self._options, configurations, self.converted))

    @property
    def port(self) -> int:
        """Where they are served, once started."""
        return 0 if self._served is None else int(self._served.port)

    @property
    def problem(self) -> str | None:
        """Why they cannot be called; None also if there are none."""
        if not self.hooks:
            return None
        problem: str | None = "not started yet" if self._served is None else self._served.problem
        return problem

    @property
    def sickness(self) -> str | None:
        """What only a restart can heal."""
        sickness: str | None = None if self._served is None else self._served.sickness
        return sickness

    @property
    def places(self) -> list[Place]:
        """What else to watch, once started: this is the handler for it."""
        places: list[Place] = [] if self._served is None else self._served.places
        return places

    def on_change(self, change: Change[Any]) -> None:  # noqa: ARG002 - whatever it is, it is looked at anew
        """One of the places has changed."""
        if self._served is not None:
            self._served.wake()

    def start(self) -> None:
        if not self.hooks or self._served is not None:
            return
        if self._options.certificate_folder is None:
            # Before anything is opened: what is missing in the options shows first.
            hosts_of(self._options)
            name_of(self._options)
        with LOADING:
            from framework.webhooks.served import ServedWebhooks

        self._served = ServedWebhooks(
            self,
            self._client,
            self._options,
            clock=self._clock,
            runtime=self._runtime,
            registry=self._registry,
            leads=self._leads,
        )
        self._served.start()

    def stop(self, grace_seconds: float) -> None:
        """Accept no more; reviews under way are answered if they can be within *grace_seconds*."""
        if self._served is not None:
            self._served.stop(grace_seconds)

    def _add(self, hook: AdmissionHook[Any]) -> None:
        if self._served is not None:
            raise ConfigurationError(f"{hook.path}: webhooks are declared before the manager starts")
        if hook.path in self._admission:
            raise ConfigurationError(f"there are two webhooks for {hook.path}")
        self._admission[hook.path] = hook
