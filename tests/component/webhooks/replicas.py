"""Replicas that look after certificates on an embedded server in virtual time, and an oracle over all they show."""

import base64
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import msgspec
from prometheus_client import CollectorRegistry

from apis.core.v1 import ConfigMap
from apis.meta import ApiStruct, Key, KubeObject, ResourceType, Unstructured, kind, resource_type_of
from apis.schema import crd_of
from framework.apiserver.in_process import in_process_client
from framework.apiserver.server import ApiServer
from framework.certificates.keeper import CertificateKeeper
from framework.certificates.metrics import CertificateMetrics
from framework.certificates.options import CertificateOptions
from framework.certificates.reading import facts_of, is_issued_by
from framework.certificates.rotation import Rotation
from framework.certificates.secret_store import SECRET, SecretStore
from framework.certificates.serving import ServingCertificate
from framework.certificates.trust import TrustTarget
from framework.client import Access, Client, Codecs, Observer
from framework.clock import Clock
from framework.errors import AlreadyExists, Conflict, NotFound
from framework.http.tls import bare_context
from framework.testing.virtual_time import VirtualTime
from framework.webhooks.configuration import MUTATING, VALIDATING, configuration, conversion
from framework.webhooks.hooks import admission_hook
from framework.webhooks.options import HookOptions, WebhookOptions
from framework.webhooks.targets import CRD, FIELD_MANAGER, Conversion, ManagedConfiguration, NamedConfiguration

SECRET_KEY = Key("default", "shop-certificates")
OPTIONS = CertificateOptions(
    authority_lifetime=timedelta(minutes=60),
    authority_renewed_before=timedelta(minutes=40),
    lifetime=timedelta(minutes=15),
    renewed_before=timedelta(minutes=5),
    trust_seconds=120,
    overlap=timedelta(minutes=4),
    poll_seconds=30,
)
WEBHOOKS = WebhookOptions(name="shop", service=Key("default", "shop"))
# How long an API server may take to notice a new bundle.
LAG_SECONDS = 100.0


class GadgetSpec(ApiStruct, frozen=True, kw_only=True):
    size: int = 1


@kind(group="shop.example.com", version="v1", plural="gadgets")
class Gadget(KubeObject, frozen=True, kw_only=True):
    spec: GadgetSpec = GadgetSpec()


PLACES: dict[str, tuple[ResourceType, str]] = {
    "validating": (VALIDATING, "shop"),
    "mutating": (MUTATING, "shop"),
    "conversion": (CRD, "gadgets.shop.example.com"),
}


class Crash(Exception):
    """The process ends here."""


class Writes(Observer):
    """Counts writes; ends the process before, or after, the one with number *crash_at*."""

    def __init__(self, crash_at: int | None = None, *, is_after: bool = False) -> None:
        self.made: list[str] = []
        self._crash_at = crash_at
        self._is_after = is_after

    def sending(self, access: Access) -> None:
        if access.is_read:
            return
        if len(self.made) == self._crash_at and not self._is_after:
            self._crash_at = None
            raise Crash

    def answered(self, access: Access, answer: bytes) -> None:  # noqa: ARG002 - the base class calls it so
        if access.is_read:
            return
        self.made.append(f"{access.verb} {access.resource_type.plural} {access.name}".strip())
        if len(self.made) - 1 == self._crash_at and self._is_after:
            self._crash_at = None
            raise Crash


class World:
    """One API server; what stood where, and who showed what, from which moment on."""

    def __init__(self) -> None:
        self.time = VirtualTime()
        clock, runtime = self.time.clock, self.time.runtime
        self.server = ApiServer(clock=clock, runtime=runtime)
        self.client = in_process_client(self.server)
        self.client.apply(CRD, crd_of(Gadget))
        self.bundles: dict[str, list[tuple[float, bytes]]] = {name: [] for name in PLACES}

    def note(self) -> None:
        for place in PLACES:
            bundle = self.bundle(place)
            seen = self.bundles[place]
            if bundle and (not seen or seen[-1][1] != bundle):
                seen.append((self.now, bundle))

    @property
    def now(self) -> float:
        return self.time.clock.monotonic()

    def bundle(self, place: str) -> bytes:
        resource_type, name = PLACES[place]
        try:
            found: Unstructured = self.client.get(resource_type, Key("", name))
        except NotFound:
            return b""
        if resource_type is CRD:
            config = found.content["spec"].get("conversion", {}).get("webhook", {}).get("clientConfig", {})
        else:
            config = found.content["webhooks"][0]["clientConfig"]
        return base64.b64decode(config.get("caBundle", ""))

    def version(self, place: str) -> str:
        resource_type, name = PLACES[place]
        obj: KubeObject = self.client.get(resource_type, Key("", name))
        return obj.metadata.resource_version

    def secret(self) -> Unstructured:
        found: Unstructured = self.client.get(SECRET, SECRET_KEY)
        return found

    def check(self, certificate: bytes) -> None:
        """Whoever asks, also with a bundle of a while ago, must trust what is shown now."""
        facts = facts_of(certificate)
        assert facts.not_before <= self.time.clock.now() < facts.not_after, "shows what is not valid now"
        for place, seen in self.bundles.items():
            for index, (_, bundle) in enumerate(seen):
                ends = seen[index + 1][0] if index + 1 < len(seen) else float("inf")
                if ends > self.now - LAG_SECONDS:
                    assert any(is_issued_by(certificate, each) for each in authorities(bundle)), (
                        f"{place} does not trust what is shown at {self.now}"
                    )


def authorities(bundle: bytes) -> list[bytes]:
    end = b"-----END CERTIFICATE-----\n"
    return [part + end for part in bundle.split(end) if part.strip()]


class WrongClock:
    """Years ahead until somebody sets it right."""

    def __init__(self, clock: Clock, ahead: timedelta) -> None:
        self._clock = clock
        self.ahead = ahead
        self.monotonic = clock.monotonic
        self.wait = clock.wait

    def now(self) -> datetime:
        return self._clock.now() + self.ahead


class Replica:
    """One process; what it knows is gone when it ends."""

    def __init__(
        self,
        world: World,
        writes: Observer,
        *,
        manages: bool = True,
        leads: bool = True,
        options: CertificateOptions = OPTIONS,
        clock: Clock | None = None,
    ) -> None:
        self._world = world
        self.client = world.client.acting_as(FIELD_MANAGER, writes)
        self.registry = CollectorRegistry()
        metrics = CertificateMetrics(self.registry)
        clock = clock or world.time.clock
        self.serving = ServingCertificate(bare_context, clock=clock, metrics=metrics)
        self.keeper = CertificateKeeper(
            SecretStore(self.client, SECRET_KEY),
            Rotation(("shop.default.svc",), options, clock=clock),
            self.serving,
            targets(self.client, manages=manages, leads=leads),
            clock=clock,
            runtime=world.time.runtime,
            metrics=metrics,
            options=options,
        )

    @property
    def shown(self) -> bytes:
        assert self.serving._shown is not None
        return self.serving._shown[0].certificate

    def round(self) -> None:
        """Until it is not disturbed by another one."""
        for _ in range(5):
            try:
                self.keeper.round()
            except (Conflict, AlreadyExists):
                continue
            finally:
                self._world.note()
            return
        raise AssertionError("conflicts without end")


def targets(client: Client, *, manages: bool, leads: bool) -> list[TrustTarget]:
    made: list[TrustTarget] = []
    for what, resource_type in (("validate", VALIDATING), ("mutate", MUTATING)):
        if manages:
            desired: Callable[[bytes], dict[str, Any]] = partial(configuration, resource_type, [_hook(what)], WEBHOOKS)
            made.append(ManagedConfiguration(client, resource_type, "shop", desired, lambda: leads))
        else:
            made.append(NamedConfiguration(client, resource_type, "shop"))
    whole = partial(conversion, WEBHOOKS, "/convert")
    made.append(Conversion(client, resource_type_of(Gadget), whole, lambda: manages and leads))
    return made


def by_hand(world: World) -> None:
    """The configurations as somebody else makes them, without a bundle."""
    by_hand_on(world.client)


def by_hand_on(client: Client) -> None:
    for what, resource_type in (("validate", VALIDATING), ("mutate", MUTATING)):
        manifest = configuration(resource_type, [_hook(what)], WEBHOOKS)
        client.create(Unstructured(content=manifest), kind=resource_type)
    whole = {"spec": {"conversion": msgspec.to_builtins(conversion(WEBHOOKS, "/convert", b""))}}
    client.merge_patch(CRD, Key("", PLACES["conversion"][1]), whole)


def _hook(what: Any) -> Any:
    return admission_hook(what, Codecs().of(ConfigMap), lambda _: None, HookOptions())
