"""The settings that a PeerPodConfig names."""

from hashlib import sha256

import msgspec

from apis.confidentialcontainers.peerpodconfig import PeerPodConfigSpec
from apis.core.v1 import ConfigMap, Secret
from apis.meta import Key
from controllers.peerpods.cloud_settings import UnusableSettings, cloud_provider, merged_settings
from controllers.peerpods.listing import Listing

_HASH_LENGTH = 16


class ResolvedSettings(msgspec.Struct, frozen=True):
    provider: str
    # Of all that the adaptor is told.
    digest: str
    # Keys that both objects have, with different values.
    overlap: tuple[str, ...] = ()


class SettingsReader:
    def __init__(
        self,
        config_maps: Listing[ConfigMap],
        secrets: Listing[Secret],
        *,
        namespace: str,
        known: frozenset[str],
    ) -> None:
        self._config_maps = config_maps
        self._secrets = secrets
        self._namespace = namespace
        self._known = known

    def read(self, spec: PeerPodConfigSpec) -> ResolvedSettings:
        """UnusableSettings if there are none, or they say nothing that could be done."""
        config_map = self._config_maps.get(Key(self._namespace, spec.config_map_name))
        secret = self._secrets.get(Key(self._namespace, spec.cloud_secret_name))
        if config_map is None and secret is None:
            why = (
                f"neither ConfigMap {spec.config_map_name} nor Secret {spec.cloud_secret_name} "
                f"exists in namespace {self._namespace}"
            )
            raise UnusableSettings("SettingsNotFound", why)
        settings = merged_settings(config_map, secret)
        provider = cloud_provider(config_map, secret, self._known)
        digest = sha256(msgspec.json.encode(sorted(settings.values.items()))).hexdigest()[:_HASH_LENGTH]
        return ResolvedSettings(provider, digest, settings.overlap)
