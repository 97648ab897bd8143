"""Whose settings may lead to the VM of a PeerPod, in the order in which they are tried."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import TypeVar

import msgspec

from apis.confidentialcontainers.peerpod import PeerPod, SettingsRef
from apis.confidentialcontainers.peerpodconfig import DEFAULT_CONFIG_MAP, DEFAULT_SECRET, PeerPodConfig
from apis.core.v1 import ConfigMap, Secret
from apis.meta import Key, KubeObject
from controllers.peerpod.provider import Permanent, SettingsMissing
from controllers.peerpod.registry import Registry, unknown_provider
from controllers.peerpods.cloud_settings import UnusableSettings, cloud_provider, merged_settings
from controllers.peerpods.listing import Listing
from controllers.peerpods.names import KNOWN_PROVIDERS
from framework.client import Client
from framework.errors import NotFound

T = TypeVar("T", bound=KubeObject)

_BEFORE_ALL = datetime.min.replace(tzinfo=UTC)


class Candidate(msgspec.Struct, frozen=True):
    ref: SettingsRef
    provider: str
    values: dict[str, str]

    def __repr__(self) -> str:
        # Half of it is secret.
        return f"Candidate({self.provider}, {self.ref.config_map_name}, {self.ref.secret_name})"


class Candidates:
    def __init__(
        self,
        *,
        client: Client,
        configs: Listing[PeerPodConfig],
        config_maps: Listing[ConfigMap],
        secrets: Listing[Secret],
        registry: Registry,
        namespace: str,
        extra_providers: Iterable[str] = (),
    ) -> None:
        self._client = client
        self._configs = configs
        self._config_maps = config_maps
        self._secrets = secrets
        self._registry = registry
        self._namespace = namespace
        self._extra_providers = frozenset(extra_providers)

    def of(self, peer_pod: PeerPod) -> list[Candidate]:
        """At least one, all of one provider; SettingsMissing or ProviderUnknown if there is none.

        Read from the server and not from a cache: a credential that was replaced must not be used again.
        """
        wanted = peer_pod.spec.cloud_provider if peer_pod.spec else ""
        if peer_pod.status.settings_ref is not None:
            return [self._read(peer_pod.status.settings_ref, wanted)]
        resolved = self._resolved([_ref_of(each, self._namespace) for each in self._in_order()])
        found = [each for each in resolved if wanted in ("", each.provider)]
        if not found:
            return [self._read(self._default, wanted)]
        if len({each.provider for each in found}) > 1:
            raise unknown_provider("", self._registry.names)
        return found

    def of_config(self, uid: str, wanted: str) -> Candidate | None:
        """What the config with this *uid* names; None if there is no such config."""
        found = next((each for each in self._configs.list() if each.metadata.uid == uid), None)
        return None if found is None else self._read(_ref_of(found, self._namespace), wanted)

    def names(self, refs: Iterable[SettingsRef] = ()) -> frozenset[str]:
        """Of all objects that can hold settings, those that *refs* name included."""
        everywhere = [self._default, *(_ref_of(each, self._namespace) for each in self._configs.list()), *refs]
        return frozenset(name for ref in everywhere for name in (ref.config_map_name, ref.secret_name))

    def versions(self, peer_pod: PeerPod) -> tuple[str, ...]:
        """Changes whenever another attempt may find other settings."""
        ref = peer_pod.status.settings_ref
        refs = [ref] if ref is not None else [_ref_of(each, self._namespace) for each in self._in_order()]
        if ref is None:
            refs.append(self._default)
        return tuple(version for each in refs for version in self._versions_of(each))

    @property
    def _default(self) -> SettingsRef:
        return SettingsRef(namespace=self._namespace, config_map_name=DEFAULT_CONFIG_MAP, secret_name=DEFAULT_SECRET)

    def _in_order(self) -> list[PeerPodConfig]:
        """Oldest first."""
        return sorted(
            self._configs.list(), key=lambda each: (each.metadata.creation_timestamp or _BEFORE_ALL, each.key)
        )

    def _versions_of(self, ref: SettingsRef) -> tuple[str, ...]:
        found = (
            self._config_maps.get(Key(ref.namespace, ref.config_map_name)),
            self._secrets.get(Key(ref.namespace, ref.secret_name)),
        )
        return (
            ref.config_map_name,
            ref.secret_name,
            *(each.metadata.uid + each.metadata.resource_version if each else "" for each in found),
        )

    def _resolved(self, refs: Iterable[SettingsRef]) -> list[Candidate]:
        """Those that name a cloud, each pair of objects once."""
        found = []
        for ref in dict.fromkeys(refs):
            try:
                found.append(self._read(ref, ""))
            except (SettingsMissing, Permanent):
                continue
        return found

    def _read(self, ref: SettingsRef, wanted: str) -> Candidate:
        """With the provider that is *wanted*, or else the one that the settings name."""
        config_map = self._get(ConfigMap, Key(ref.namespace, ref.config_map_name))
        secret = self._get(Secret, Key(ref.namespace, ref.secret_name))
        try:
            values = merged_settings(config_map, secret).values
        except UnusableSettings as error:
            if config_map is None and secret is None:
                raise SettingsMissing(
                    f"ConfigMap {ref.namespace}/{ref.config_map_name}", f"Secret {ref.namespace}/{ref.secret_name}"
                ) from None
            raise SettingsMissing(error.message) from None
        if wanted:
            return Candidate(ref, wanted, values)
        known = frozenset(KNOWN_PROVIDERS) | self._registry.names | self._extra_providers
        try:
            return Candidate(ref, cloud_provider(config_map, secret, known), values)
        except UnusableSettings:
            raise unknown_provider("", self._registry.names) from None

    def _get(self, kind: type[T], key: Key) -> T | None:
        try:
            return self._client.get(kind, key)
        except NotFound:
            return None


def _ref_of(config: PeerPodConfig, namespace: str) -> SettingsRef:
    spec = config.spec
    return SettingsRef(namespace=namespace, config_map_name=spec.config_map_name, secret_name=spec.cloud_secret_name)
