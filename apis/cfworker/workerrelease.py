"""WorkerRelease: one version of a script that stays as it is, or the versions of an account's scripts."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from apis.cfworker.field import WORKERS_LIMIT, Conditions, ObservedGeneration, ScriptName, ScriptUrl
from apis.cfworker.script import (
    Bindings,
    CompatibilityDate,
    CompatibilityFlags,
    MainModule,
    ScriptUrls,
    SecretRef,
    VersionId,
)
from apis.meta import LIST_ATOMIC, ApiStruct, KubeObject, PrinterColumn, Rule, kind, rules


class ReleasePhase(StrEnum):
    PENDING = "Pending"
    BUILDING = "Building"
    ACTIVE = "Active"
    SUPERSEDED = "Superseded"
    FAILED = "Failed"
    INVALID = "Invalid"


@rules(
    Rule(
        rule="has(self.scriptName) != has(self.workerVersions)",
        message="a release has either spec.scriptName, for one script, or spec.workerVersions, for an account",
    ),
    Rule(rule="!has(self.workerVersions) || has(self.accounts)", message="spec.workerVersions needs spec.accounts"),
    Rule(rule="!has(self.scriptName) || has(self.scriptUrls)", message="spec.scriptName needs spec.scriptUrls"),
    Rule(
        rule="has(oldSelf.workerVersions) || self == oldSelf",
        message="the release of a script never changes; make another one",
        reason="FieldValueForbidden",
    ),
)
class WorkerReleaseSpec(ApiStruct, frozen=True, kw_only=True):
    """One script, or the scripts of an account."""

    script_name: Annotated[
        ScriptName | None, Meta(description="Lower case letters, digits, dashes and underscores.")
    ] = None
    secret_ref: SecretRef = ""
    compatibility_date: CompatibilityDate = ""
    script_urls: ScriptUrls = msgspec.field(default_factory=list)
    compatibility_flags: CompatibilityFlags = msgspec.field(default_factory=list)
    main_module: MainModule = ""
    bindings: Bindings = msgspec.field(default_factory=list)
    version_id: VersionId = ""
    accounts: Annotated[str, Meta(max_length=63, description="The account of workerVersions.")] = ""
    worker_versions: Annotated[
        Annotated[dict[str, ScriptUrl], Meta(max_length=WORKERS_LIMIT)] | None,
        Meta(description="Scripts and where their code is."),
    ] = None


class FailedEntry(ApiStruct, frozen=True, kw_only=True):
    """A script that cannot be built from where it is."""

    script_name: Annotated[str, Meta(description="The script.")] = ""
    url: Annotated[str, Meta(description="Where its code is.")] = ""
    message: Annotated[str, Meta(description="Why.")] = ""


class WorkerReleaseStatus(ApiStruct, frozen=True, kw_only=True):
    """How far the release has come."""

    phase: Annotated[ReleasePhase | None, Meta(description="Where the release is between its making and its end.")] = (
        None
    )
    accounts: Annotated[list[str], LIST_ATOMIC, Meta(description="The WorkerAccounts that it belongs to.")] = (
        msgspec.field(default_factory=list)
    )
    job_builder: Annotated[str, Meta(description="The newest JobBuilder that has it.")] = ""
    image: Annotated[str, Meta(description="The image that serves or served it.")] = ""
    message: Annotated[str, Meta(description="Why it failed, or what it waits for.")] = ""
    retry_seen: Annotated[str, Meta(description="The value of the retry annotation that was answered.")] = ""
    failed_scripts: Annotated[
        list[FailedEntry], LIST_ATOMIC, Meta(description="Scripts that cannot be built; they stay out of the image.")
    ] = msgspec.field(default_factory=list)
    ignored_builds: Annotated[
        list[str], LIST_ATOMIC, Meta(description="Failed builds from before the retry annotation was answered.")
    ] = msgspec.field(default_factory=list)
    observed_generation: ObservedGeneration = 0
    conditions: Conditions = msgspec.field(default_factory=list)


@kind(
    group="api.worker-release",
    version="v1alpha1",
    plural="workerreleases",
    short_names=("wkr",),
    status=True,
    printer_columns=(
        PrinterColumn(name="Script", json_path=".spec.scriptName"),
        PrinterColumn(name="Phase", json_path=".status.phase"),
        PrinterColumn(name="Revision", json_path=r".metadata.annotations.api\.cf-worker/revision"),
        PrinterColumn(name="Age", json_path=".metadata.creationTimestamp", type="date"),
    ),
)
class WorkerRelease(KubeObject, frozen=True, kw_only=True):
    """One version of a script, or of an account's scripts."""

    spec: WorkerReleaseSpec
    status: WorkerReleaseStatus = WorkerReleaseStatus()
