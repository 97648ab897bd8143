"""Defaults of volumes."""

from framework.apiserver.builtin.defaults.containers import pull_policy_of
from framework.apiserver.objects import Object

_DEFAULT_MODE = 0o644
_AN_HOUR = 3600


def default_volume(volume: Object) -> None:
    if not volume.keys() - {"name"}:
        volume["emptyDir"] = {}


def default_mode(source: Object) -> None:
    source.setdefault("defaultMode", _DEFAULT_MODE)


def default_host_path(source: Object) -> None:
    source.setdefault("type", "")


def default_token(source: Object) -> None:
    source.setdefault("expirationSeconds", _AN_HOUR)


def default_image_volume(source: Object) -> None:
    source.setdefault("pullPolicy", pull_policy_of(source.get("reference", "")))


def default_azure_disk(source: Object) -> None:
    source.setdefault("readOnly", False)


def default_claim(claim: Object) -> None:
    claim.setdefault("status", {}).setdefault("phase", "Pending")


def default_claim_spec(spec: Object) -> None:
    spec.setdefault("volumeMode", "Filesystem")


VOLUME_DEFAULTS = {
    "core.v1.Volume": default_volume,
    "core.v1.SecretVolumeSource": default_mode,
    "core.v1.ConfigMapVolumeSource": default_mode,
    "core.v1.DownwardAPIVolumeSource": default_mode,
    "core.v1.ProjectedVolumeSource": default_mode,
    "core.v1.HostPathVolumeSource": default_host_path,
    "core.v1.ServiceAccountTokenProjection": default_token,
    "core.v1.ImageVolumeSource": default_image_volume,
    "core.v1.AzureDiskVolumeSource": default_azure_disk,
    "core.v1.PersistentVolumeClaim": default_claim,
    "core.v1.PersistentVolumeClaimSpec": default_claim_spec,
}
