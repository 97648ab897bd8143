"""WorkerVersion: asks that a script of an account have the code of a URL."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from apis.cfworker.field import GROUP, Conditions, ObservedGeneration
from apis.meta import ApiStruct, KubeObject, PrinterColumn, kind


class VersionPhase(StrEnum):
    APPLIED = "Applied"
    OUTDATED = "Outdated"
    INVALID = "Invalid"


class WorkerVersionSpec(ApiStruct, frozen=True, kw_only=True):
    """Which script of which account has which code."""

    accounts: Annotated[str, Meta(max_length=253, description="The account.")]
    scripts: Annotated[str, Meta(max_length=253, description="The script.")]
    url: Annotated[str, Meta(max_length=2048, description="Where the code is.")]


class WorkerVersionStatus(ApiStruct, frozen=True, kw_only=True):
    """What was made of it."""

    phase: Annotated[VersionPhase | None, Meta(description="Whether it is the one that counts.")] = None
    worker_deployment: Annotated[str, Meta(description="The WorkerDeployment that has its URL.")] = ""
    observed_generation: ObservedGeneration = 0
    conditions: Conditions = msgspec.field(default_factory=list)


@kind(
    group=GROUP,
    version="v1",
    plural="workerversions",
    short_names=("wkv",),
    status=True,
    printer_columns=(
        PrinterColumn(name="Account", json_path=".spec.accounts"),
        PrinterColumn(name="Script", json_path=".spec.scripts"),
        PrinterColumn(name="Phase", json_path=".status.phase"),
    ),
)
class WorkerVersion(KubeObject, frozen=True, kw_only=True):
    """A version of a script, given by hand."""

    spec: WorkerVersionSpec
    status: WorkerVersionStatus = WorkerVersionStatus()
