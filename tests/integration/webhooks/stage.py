"""A manager with webhooks for one namespace."""

import base64
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from prometheus_client import CollectorRegistry

from apis.core.v1 import ConfigMap
from apis.meta import Key, ObjectMeta, Unstructured
from framework.certificates.options import CertificateOptions
from framework.certificates.secret_store import SECRET
from framework.client import Client, Observer, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.errors import ApiError, NotFound
from framework.manager import Manager, ManagerOptions
from framework.testing.control_plane.waiting import wait_until
from framework.webhooks import HookOptions, WebhookOptions
from framework.webhooks.configuration import MUTATING, VALIDATING

LIMIT_SECONDS = 30.0


class Stage:
    """All that it made is gone afterwards: a webhook that stays would refuse everything for ever."""

    def __init__(self, client: Client, kubeconfig: Path, namespace: str) -> None:
        self.client = client
        self.namespace = namespace
        self._kubeconfig = kubeconfig
        self._open = ExitStack()

    def __enter__(self) -> Self:
        self._open.callback(self._remove_configurations)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    @property
    def name(self) -> str:
        return self.namespace

    def manager(
        self,
        certificates: CertificateOptions | None = None,
        observers: tuple[Observer, ...] = (),
        kubeconfig: Path | None = None,
        **options: Any,
    ) -> Manager:
        """Not started yet; stopped at the end."""
        own = connect(from_kubeconfig(str(kubeconfig or self._kubeconfig), clock=SystemClock()))
        chosen: dict[str, Any] = {
            "name": self.name,
            "address": "127.0.0.1:0",
            "url": "https://127.0.0.1:{port}",
            "certificates": certificates or CertificateOptions(secret=Key(self.namespace, "certificates")),
            **options,
        }
        webhooks = WebhookOptions(**chosen)
        made = Manager(
            own.acting_as("windlass", *observers),
            registry=CollectorRegistry(),
            options=ManagerOptions(webhooks=webhooks),
        )
        self._open.callback(made.stop)
        return made

    def hook_options(self, **options: Any) -> HookOptions:
        """For objects in our namespace alone, and not for those that the cluster makes."""
        selector = {"matchLabels": {"kubernetes.io/metadata.name": self.namespace}}
        ours = {"ours": "request.name != 'kube-root-ca.crt'"}
        return HookOptions(namespace_selector=selector, match_conditions=ours, **options)

    def start(self, manager: Manager) -> None:
        manager.start()
        assert wait_until(lambda: manager.webhooks.problem is None, limit_seconds=LIMIT_SECONDS), (
            manager.webhooks.problem
        )

    def until_called(self, seen: list[Any]) -> None:
        """The API server learns of a configuration some time after it is stored."""

        def is_called() -> bool:
            with suppress(ApiError):
                self.create("probe")
            with suppress(NotFound):
                self.client.delete(ConfigMap, Key(self.namespace, "probe"))
            return bool(seen)

        assert wait_until(is_called, limit_seconds=LIMIT_SECONDS)

    def create(self, name: str, **data: str) -> ConfigMap:
        return self.client.create(ConfigMap(metadata=ObjectMeta(name=name, namespace=self.namespace), data=data))

    def bundle(self) -> bytes:
        found: Unstructured = self.client.get(VALIDATING, Key("", self.name))
        return base64.b64decode(found.content["webhooks"][0]["clientConfig"]["caBundle"])

    def secret(self) -> Unstructured:
        found: Unstructured = self.client.get(SECRET, Key(self.namespace, "certificates"))
        return found

    def _remove_configurations(self) -> None:
        for resource_type in (VALIDATING, MUTATING):
            with suppress(NotFound):
                self.client.delete(resource_type, Key("", self.name))


@contextmanager
def removed_at_the_end(client: Client, resource_type: Any, name: str) -> Iterator[None]:
    try:
        yield
    finally:
        with suppress(NotFound):
            client.delete(resource_type, Key("", name))
