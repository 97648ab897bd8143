"""Webhooks that run: HTTP server, certificates, configurations. Loaded by those who have webhooks."""

from collections.abc import Callable
from functools import partial
from typing import Any, Protocol

import msgspec
from prometheus_client import CollectorRegistry

from apis.meta import ResourceType
from framework.certificates.keeper import CertificateKeeper
from framework.certificates.metrics import CertificateMetrics
from framework.certificates.rotation import Rotation
from framework.certificates.secret_store import SecretStore
from framework.certificates.serving import ServingCertificate
from framework.certificates.trust import Place, TrustTarget
from framework.certificates.watcher import FolderWatcher
from framework.client import Client
from framework.clock import Clock
from framework.http.address import listen
from framework.http.server import HttpServer
from framework.http.tls import bare_context
from framework.runtime import Runtime
from framework.webhooks.configuration import CONFIGURATION_OF, configuration, conversion, hosts_of, name_of, secret_of
from framework.webhooks.conversion import PATH
from framework.webhooks.handler import WebhookHandler
from framework.webhooks.hooks import AdmissionHook, Hook
from framework.webhooks.metrics import WebhookMetrics
from framework.webhooks.options import WebhookOptions
from framework.webhooks.targets import (
    FIELD_MANAGER,
    Conversion,
    FormerConfiguration,
    ManagedConfiguration,
    NamedConfiguration,
)

# Also when reconciles have used up the grace period: an answer that is nearly there is still waited for.
_LEAST_GRACE_SECONDS = 1.0


class Declared(Protocol):
    """What was declared."""

    @property
    def hooks(self) -> list[Hook]: ...
    @property
    def admission_hooks(self) -> list[AdmissionHook[Any]]: ...
    @property
    def converted(self) -> list[ResourceType]: ...


class ServedWebhooks:
    def __init__(
        self,
        declared: Declared,
        client: Client,
        options: WebhookOptions,
        *,
        clock: Clock,
        runtime: Runtime,
        registry: CollectorRegistry,
        leads: Callable[[], bool],
    ) -> None:
        self._declared = declared
        self._client = client.acting_as(FIELD_MANAGER)
        listening = listen("webhook", options.address)
        url = options.url.replace("{port}", str(listening.getsockname()[1]))
        self._options = options = msgspec.structs.replace(options, url=url)
        self._clock = clock
        self._runtime = runtime
        self._leads = leads
        metrics = CertificateMetrics(registry)
        self._serving = ServingCertificate(
            bare_context, clock=clock, metrics=metrics, client_ca_file=options.client_ca_file
        )
        self._certificates = self._new_watcher() if options.certificate_folder else self._new_keeper(metrics)
        self._handler = WebhookHandler(
            declared.hooks,
            clock=clock,
            runtime=runtime,
            metrics=WebhookMetrics(registry, clock),
            client_names=options.client_names,
        )
        self._server = HttpServer(
            self._handler,
            listening=listening,
            tls=self._serving.context,
            clock=clock,
            runtime=runtime,
            options=options.http,
        )

    @property
    def port(self) -> int:
        return self._server.port

    @property
    def problem(self) -> str | None:
        return self._certificates.problem

    @property
    def sickness(self) -> str | None:
        stuck = self._handler.stuck
        if stuck < self._options.http.max_workers:
            return None
        return f"{stuck} handlers never returned, and no other one can run; a restart helps"

    @property
    def places(self) -> list[Place]:
        return self._certificates.places

    def wake(self) -> None:
        self._certificates.wake()

    def start(self) -> None:
        self._server.start()
        self._certificates.start()

    def stop(self, grace_seconds: float) -> None:
        self._certificates.stop()
        self._server.stop(max(grace_seconds, _LEAST_GRACE_SECONDS))

    def _new_watcher(self) -> FolderWatcher:
        assert self._options.certificate_folder is not None  # noqa: S101 - the caller has looked
        return FolderWatcher(
            self._options.certificate_folder,
            self._serving,
            runtime=self._runtime,
            poll_seconds=self._options.certificates.poll_seconds,
        )

    def _new_keeper(self, metrics: CertificateMetrics) -> CertificateKeeper:
        chosen = self._options.certificates
        hosts = dict.fromkeys((*hosts_of(self._options), *chosen.hosts))
        return CertificateKeeper(
            SecretStore(self._client, secret_of(self._options)),
            Rotation(tuple(hosts), chosen, clock=self._clock),
            self._serving,
            self._targets(),
            clock=self._clock,
            runtime=self._runtime,
            metrics=metrics,
            options=chosen,
        )

    def _targets(self) -> list[TrustTarget]:
        by_type: dict[ResourceType, list[AdmissionHook[Any]]] = {}
        for hook in self._declared.admission_hooks:
            by_type.setdefault(CONFIGURATION_OF[hook.what], []).append(hook)
        targets: list[TrustTarget] = [self._configuration(each, hooks) for each, hooks in by_type.items()]
        if self._options.manages_configurations:
            unused = [each for each in CONFIGURATION_OF.values() if each not in by_type]
            name = name_of(self._options)
            targets += [FormerConfiguration(self._client, each, name, self._may_manage) for each in unused]
        whole = partial(conversion, self._options, PATH)
        targets += [Conversion(self._client, each, whole, self._may_manage) for each in self._declared.converted]
        return targets

    def _configuration(self, resource_type: ResourceType, hooks: list[AdmissionHook[Any]]) -> TrustTarget:
        name = name_of(self._options)
        if not self._options.manages_configurations:
            return NamedConfiguration(self._client, resource_type, name)
        desired = partial(configuration, resource_type, hooks, self._options)
        return ManagedConfiguration(self._client, resource_type, name, desired, self._may_manage)

    def _may_manage(self) -> bool:
        return self._options.manages_configurations and self._leads()
