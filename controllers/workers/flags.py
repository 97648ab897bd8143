"""The flags of the controllers of workers, beside those of storage and registries that they share with the builds."""

from collections.abc import Mapping
from typing import Any

from apis.cfworker.builder import BuilderType
from controllers.options import (
    Flag,
    duration,
    list_of_names,
    number_of_at_least,
    object_name,
    one_of,
    switch,
)
from controllers.workers.settings import WorkersSettings

_DEFAULT = WorkersSettings()
_MODES = ("manager",)
CF_WORKER_GROUP = "enable-cf-worker-group"
WORKERS_FLAGS = (
    Flag("image-repository-prefix", "accounts' images are pushed to this and /build-ACCOUNT", "", modes=_MODES),
    Flag(
        "purge-allow",
        "images are deleted only below these, with commas between; else below the prefix",
        "",
        list_of_names,
        _MODES,
    ),
    Flag("builder", "what makes images: oci, buildkit or kaniko", _DEFAULT.builder, one_of(*BuilderType), _MODES),
    Flag(
        "builder-image", "of the containers of builds: this program and workerd", _DEFAULT.builder_image, modes=_MODES
    ),
    Flag("base-image", "what code is put upon; scratch: nothing", _DEFAULT.base_image, modes=_MODES),
    Flag("image-workerd", "a workerd of the builder's image to put into images; empty: the base has one", modes=_MODES),
    Flag("ingress-host", "where workers are reached", _DEFAULT.ingress_host, object_name, (*_MODES, "cf-api")),
    Flag("build-debounce", "what is to be built must stay the same for so long", "2s", duration, _MODES),
    Flag(
        "build-attempts",
        "Jobs that may fail for reasons outside of scripts",
        str(_DEFAULT.build_attempts),
        number_of_at_least(1),
        _MODES,
    ),
    Flag("build-retry", "how long the second waits; each one after it twice as long", "1m", duration, _MODES),
    Flag("default-compatibility-date", "of scripts that name none", _DEFAULT.default_compatibility_date, modes=_MODES),
    Flag(CF_WORKER_GROUP, "mirror WorkerDeployments and the like from api.cf-worker/v1", "false", switch, _MODES),
)


def workers_settings(flags: Mapping[str, Any]) -> WorkersSettings:
    return WorkersSettings(
        image_repository_prefix=flags["image-repository-prefix"].rstrip("/"),
        default_registry=flags["default-registry"],
        insecure_registries=flags["insecure-registry"],
        purge_allow=flags["purge-allow"],
        builder=BuilderType(flags["builder"]),
        builder_image=flags["builder-image"],
        base_image=flags["base-image"],
        workerd_layer=flags["image-workerd"],
        s3_endpoint=flags["s3-endpoint"],
        s3_region=flags["s3-region"],
        s3_bucket=flags["s3-bucket"],
        allowed_buckets=flags["allowed-buckets"],
        ingress_host=flags["ingress-host"],
        build_debounce_seconds=flags["build-debounce"],
        build_attempts=flags["build-attempts"],
        build_retry_seconds=flags["build-retry"],
        default_compatibility_date=flags["default-compatibility-date"],
        has_cf_worker_group=flags[CF_WORKER_GROUP],
        resync_seconds=flags["resync"],
        workers=flags["workers"],
    )
