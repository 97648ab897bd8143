"""What can be chosen about the controllers of workers."""

import msgspec

from apis.cfworker.builder import BuilderType
from controllers.workers.script_rules import ScriptRules
from framework.version import program_version


class WorkersSettings(msgspec.Struct, frozen=True, kw_only=True):
    # An account's images are pushed to this and build-<account>; empty: each account says where.
    image_repository_prefix: str = ""
    # Where references that name no host are.
    default_registry: str = "docker.io"
    # Registries that are spoken to in plain HTTP; those on loopback always are.
    insecure_registries: tuple[str, ...] = ()
    # Images are purged only below these; empty: below the prefix.
    purge_allow: tuple[str, ...] = ()
    builder: BuilderType = BuilderType.OCI
    # Never whatever is the latest: what is built depends on it.
    builder_image: str = msgspec.field(default_factory=lambda: f"windlass:{program_version()}")
    base_image: str = "scratch"
    # A workerd inside of the builder's image that is put into each image; empty: the base has one.
    workerd_layer: str = ""
    s3_endpoint: str = ""
    s3_region: str = ""
    s3_bucket: str = ""
    allowed_buckets: tuple[str, ...] = ()
    # Whether the cluster has autoscaling/v2, as every real one has.
    has_autoscaling: bool = True
    ingress_host: str = "worker.127.0.0.1.sslip.io"
    # What is to be built must have been the same for so long.
    build_debounce_seconds: float = 2.0
    # So many Jobs may fail for reasons outside of the scripts.
    build_attempts: int = 5
    # Between the first of them and the second; each wait after that is twice as long.
    build_retry_seconds: float = 60.0
    default_compatibility_date: str = "2023-02-28"
    # Whether four kinds are looked after in the group of upstream's code too.
    has_cf_worker_group: bool = False
    resync_seconds: float = 36000.0
    workers: int = 2

    @property
    def script_rules(self) -> ScriptRules:
        return ScriptRules(
            default_compatibility_date=self.default_compatibility_date,
            bucket=self.s3_bucket,
            allowed_buckets=self.allowed_buckets,
        )

    @property
    def purgeable(self) -> tuple[str, ...]:
        return self.purge_allow or ((self.image_repository_prefix,) if self.image_repository_prefix else ())
