"""Settings of a script that are of no version: kept as an annotation, and echoed."""

from collections.abc import Mapping
from typing import Any

import msgspec

from apis.cfworker.workerdeployment import WorkerDeployment
from controllers.cfapi import failure
from controllers.cfapi.metadata import SCRIPT_SETTINGS as NAMES
from controllers.workers.keys import EXPOSED, SCRIPT_SETTINGS

_DEFAULTS: Mapping[str, Any] = {"logpush": False, "tail_consumers": None, "observability": None, "tags": []}
_LONGEST = 64 * 1024
_HIDDEN = "false"
# Remembered for wrangler, which compares; there are no previews here.
_PREVIEWS = "previews_enabled"


def settings_of(deployment: WorkerDeployment | None) -> dict[str, Any]:
    """With every setting in it; what cannot be read is as if it were not there."""
    return {**_DEFAULTS, **{name: value for name, value in _stored(deployment).items() if name in NAMES}}


def merged_settings(
    deployment: WorkerDeployment | None, changes: Mapping[str, Any], *, previews_enabled: bool | None = None
) -> str:
    """The annotation with *changes* in it."""
    known = {name: value for name, value in changes.items() if name in NAMES}
    stored = {**_stored(deployment), **known}
    if previews_enabled is not None:
        stored[_PREVIEWS] = previews_enabled
    text = msgspec.json.encode(stored).decode()
    if len(text) > _LONGEST:
        raise failure.too_large(f"the settings have more than {_LONGEST} bytes")
    return text


def is_exposed(deployment: WorkerDeployment) -> bool:
    return deployment.metadata.annotations.get(EXPOSED) != _HIDDEN


def exposed_annotation(*, is_exposed: bool) -> dict[str, str | None]:
    """Being reachable is the default, and needs no word."""
    return {EXPOSED: None if is_exposed else _HIDDEN}


def has_previews(deployment: WorkerDeployment) -> bool:
    return _stored(deployment).get(_PREVIEWS) is True


def _stored(deployment: WorkerDeployment | None) -> dict[str, Any]:
    text = deployment.metadata.annotations.get(SCRIPT_SETTINGS, "{}") if deployment else "{}"
    try:
        return msgspec.json.decode(text, type=dict[str, Any])
    except msgspec.DecodeError:
        return {}
