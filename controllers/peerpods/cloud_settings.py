"""The settings of a cloud: a ConfigMap and a Secret, read as the adaptor reads them."""

from collections.abc import Mapping

import msgspec

from apis.core.v1 import ConfigMap, Secret
from controllers.peerpods.names import CLOUD_PROVIDER


class UnusableSettings(Exception):
    """*reason* is that of the condition; *message* names objects and keys, never a value that may be secret."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason, self.message = reason, message


class CloudSettings(msgspec.Struct, frozen=True):
    """What both objects say together; where they differ, the ConfigMap's word counts."""

    values: dict[str, str]
    # Keys that both have, with different values.
    overlap: tuple[str, ...] = ()

    def __repr__(self) -> str:
        # Half of it is secret.
        return f"CloudSettings(keys={sorted(self.values)})"


def merged_settings(config_map: ConfigMap | None, secret: Secret | None) -> CloudSettings:
    """UnusableSettings if there is neither, or a value is no text."""
    if config_map is None and secret is None:
        raise UnusableSettings("SettingsNotFound", "neither the ConfigMap nor the Secret exists")
    public = dict(config_map.data) if config_map else {}
    private = _texts(secret) if secret else {}
    overlap = sorted(key for key in public.keys() & private.keys() if public[key] != private[key])
    return CloudSettings({**private, **public}, tuple(key for key in overlap if key != CLOUD_PROVIDER))


def cloud_provider(
    config_map: ConfigMap | None, secret: Secret | None, known: Mapping[str, object] | frozenset[str]
) -> str:
    """The name that CLOUD_PROVIDER has in one of them, or in both; UnusableSettings says what is wrong and where."""
    told: list[tuple[str, str]] = []
    if config_map and config_map.data.get(CLOUD_PROVIDER):
        told.append((f"ConfigMap {config_map.metadata.name}", config_map.data[CLOUD_PROVIDER]))
    if secret and _texts(secret).get(CLOUD_PROVIDER):
        told.append((f"Secret {secret.metadata.name}", _texts(secret)[CLOUD_PROVIDER]))
    if config_map is None and secret is None:
        raise UnusableSettings("SettingsNotFound", "neither the ConfigMap nor the Secret exists")
    if not told:
        raise UnusableSettings("CloudProviderUnset", f"{CLOUD_PROVIDER} is set in neither object; put it into one")
    for place, name in told:
        _check_name(place, name, known)
    if len({name for _, name in told}) > 1:
        differ = " and ".join(f"{name!r} in {place}" for place, name in told)
        raise UnusableSettings("CloudProviderConflict", f"{CLOUD_PROVIDER} is {differ}; make them equal")
    return told[0][1]


def _check_name(place: str, name: str, known: Mapping[str, object] | frozenset[str]) -> None:
    if name != name.strip():
        why = f"{CLOUD_PROVIDER} in {place} has whitespace at an end: {name!r}"
        raise UnusableSettings("InvalidCloudProvider", why)
    if name not in known:
        why = f"{CLOUD_PROVIDER} in {place} is {name!r}; known: {', '.join(sorted(known))}"
        raise UnusableSettings("InvalidCloudProvider", why)


def _texts(secret: Secret) -> dict[str, str]:
    texts: dict[str, str] = {}
    for key, value in secret.data.items():
        try:
            texts[key] = value.decode()
        except UnicodeDecodeError:
            why = f"the value of {key} in Secret {secret.metadata.name} is not UTF-8"
            raise UnusableSettings("InvalidSettings", why) from None
    return texts
