"""JobBuilder: builds one image, once, and hands it to a WorkerBundle."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from apis.cfworker.builder import Builder
from apis.cfworker.field import (
    GROUP,
    WORKERS_LIMIT,
    BundleName,
    Conditions,
    Count,
    Name,
    ObservedGeneration,
    ScriptName,
    ScriptUrl,
)
from apis.cfworker.planrow import PlanRow
from apis.cfworker.workeraccount import Egress
from apis.meta import LIST_ATOMIC, ApiStruct, KubeObject, PrinterColumn, Rule, Time, kind, rules

# Names of the objects that upstream's documentation has one make.
DEFAULT_STORAGE_CREDENTIALS, DEFAULT_REGISTRY_CREDENTIALS = "s3-credentials", "docker-hub"


class BuildPhase(StrEnum):
    PENDING = "Pending"
    BUILDING = "Building"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    SUPERSEDED = "Superseded"


class BuildRow(PlanRow, frozen=True, kw_only=True):
    """One script of the image, and what the bundle must know of it."""

    env_prefix: Annotated[str, Meta(max_length=128, description="What the names of its variables begin with.")] = ""
    secret_ref: Annotated[Name, Meta(description="The Secret with its variables.")] = ""
    exposed: Annotated[bool, Meta(description="Whether it is reached from outside.")] = True


class ScriptStorage(ApiStruct, frozen=True, kw_only=True):
    """Where the code is; what is absent is as the installation says."""

    endpoint: Annotated[str, Meta(max_length=512, description="The URL of the S3 service.")] = ""
    region: Annotated[str, Meta(max_length=64, description="The region.")] = ""
    bucket: Annotated[str, Meta(max_length=63, description="The bucket of URLs that name none.")] = ""
    credentials_secret: Annotated[Name, Meta(description="The Secret with the key credentials.")] = (
        DEFAULT_STORAGE_CREDENTIALS
    )
    config_map: Annotated[Name, Meta(description="The ConfigMap with the key config; it may be absent.")] = "aws-config"


@rules(
    Rule(
        rule="self.scriptUrls.size() == self.scriptNames.size()",
        message="spec.scriptUrls and spec.scriptNames are pairs, so they must be equally long",
    ),
    Rule(
        rule="self == oldSelf",
        message="a JobBuilder builds once what it says; make another one",
        reason="FieldValueForbidden",
    ),
)
class JobBuilderSpec(ApiStruct, frozen=True, kw_only=True):
    """What is built, and for whom."""

    script_urls: Annotated[
        list[ScriptUrl], LIST_ATOMIC, Meta(max_length=WORKERS_LIMIT, description="Where the code of each script is.")
    ]
    script_names: Annotated[list[ScriptName], LIST_ATOMIC, Meta(max_length=WORKERS_LIMIT, description="The scripts.")]
    target_image: Annotated[str, Meta(min_length=1, max_length=512, description="What the image is pushed as.")]
    worker_bundle_name: Annotated[BundleName, Meta(description="The WorkerBundle that gets the image.")]
    workers: Annotated[
        list[BuildRow], LIST_ATOMIC, Meta(max_length=WORKERS_LIMIT, description="All of the scripts; before the pairs.")
    ] = msgspec.field(default_factory=list)
    egress: Annotated[Egress, Meta(description="Which addresses the scripts can reach.")] = Egress.PUBLIC
    builder: Annotated[Builder, Meta(description="How the image is built.")] = Builder()
    registry_credentials_secret: Annotated[
        Name, Meta(description="The Secret of type kubernetes.io/dockerconfigjson that the image is pushed with.")
    ] = DEFAULT_REGISTRY_CREDENTIALS
    s3: Annotated[ScriptStorage, Meta(description="Where the code is.")] = ScriptStorage()


class FailedScript(ApiStruct, frozen=True, kw_only=True):
    """A script that cannot be built."""

    script_name: Annotated[str, Meta(description="The script.")] = ""
    message: Annotated[str, Meta(description="Why.")] = ""


class JobBuilderStatus(ApiStruct, frozen=True, kw_only=True):
    """How far the build has come."""

    phase: Annotated[BuildPhase | None, Meta(description="Where the build is.")] = None
    job_name: Annotated[str, Meta(description="The Job.")] = ""
    image: Annotated[str, Meta(description="The image with its digest.")] = ""
    image_digest: Annotated[str, Meta(description="Its digest.")] = ""
    attempts: Annotated[Count, Meta(description="Jobs that ended for reasons outside of the scripts.")] = 0
    start_time: Annotated[Time | None, Meta(description="When the first Job was made.")] = None
    completion_time: Annotated[Time | None, Meta(description="When the build ended.")] = None
    failed_scripts: Annotated[list[FailedScript], LIST_ATOMIC, Meta(description="Scripts that cannot be built.")] = (
        msgspec.field(default_factory=list)
    )
    bundle_applied: Annotated[bool, Meta(description="Whether the bundle has had the image.")] = False
    rebuild_seen: Annotated[str, Meta(description="The value of the rebuild annotation that was answered.")] = ""
    message: Annotated[str, Meta(description="What happened last.")] = ""
    observed_generation: ObservedGeneration = 0
    conditions: Conditions = msgspec.field(default_factory=list)


@kind(
    group=GROUP,
    version="v1",
    plural="jobbuilders",
    short_names=("jb",),
    status=True,
    printer_columns=(
        PrinterColumn(name="Target", json_path=".spec.targetImage"),
        PrinterColumn(name="Phase", json_path=".status.phase"),
        PrinterColumn(name="Digest", json_path=".status.imageDigest"),
        PrinterColumn(name="Age", json_path=".metadata.creationTimestamp", type="date"),
    ),
)
class JobBuilder(KubeObject, frozen=True, kw_only=True):
    """One build."""

    spec: JobBuilderSpec
    status: JobBuilderStatus = JobBuilderStatus()
