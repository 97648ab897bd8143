"""What each config asks for, and whether that can be done."""

from collections.abc import Iterable

import msgspec

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig
from controllers.peerpodconfig.allocation import Claim
from controllers.peerpodconfig.reading import StoredConfig
from controllers.peerpodconfig.settings import ResolvedSettings, SettingsReader
from controllers.peerpodconfig.validation import InvalidSpec, Wishes, wishes_of
from controllers.peerpods.cloud_settings import UnusableSettings
from controllers.reporting.observation import Observation

ACCEPTED, SETTINGS_RESOLVED = "Accepted", "SettingsResolved"


class Judged(msgspec.Struct, frozen=True):
    """A config without *settings* is frozen: what it has stays as it is."""

    config: PeerPodConfig
    accepted: Observation
    resolved: Observation | None = None
    wishes: Wishes | None = None
    settings: ResolvedSettings | None = None

    @property
    def claim(self) -> Claim:
        return Claim(self.config, None if self.settings is None else self.wishes)


def judge(stored: StoredConfig, reader: SettingsReader) -> Judged:
    config = stored.config
    try:
        wishes = _wishes(stored)
    except InvalidSpec as error:
        return Judged(config, Observation(ACCEPTED, "False", "InvalidSpec", str(error)))
    accepted = Observation(ACCEPTED, "True", "Accepted")
    try:
        settings = reader.read(config.spec)
    except UnusableSettings as error:
        resolved = Observation(SETTINGS_RESOLVED, "False", error.reason, error.message)
        return Judged(config, accepted, resolved, wishes)
    return Judged(
        config,
        accepted,
        Observation(SETTINGS_RESOLVED, "True", "Resolved", _overlap(settings.overlap)),
        wishes,
        settings,
    )


def _wishes(stored: StoredConfig) -> Wishes:
    if stored.problem:
        raise InvalidSpec(stored.problem)
    return wishes_of(stored.config.spec)


def _overlap(keys: Iterable[str]) -> str:
    names = ", ".join(keys)
    return f"ConfigMap and Secret differ in {names}; what the ConfigMap says counts" if names else ""
