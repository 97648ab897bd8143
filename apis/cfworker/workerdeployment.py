"""WorkerDeployment: one script of one account, and which of its releases is active."""

from typing import Annotated

import msgspec
from msgspec import Meta

from apis.cfworker.field import Conditions, Count, HistoryLimit, Name, ObservedGeneration
from apis.cfworker.script import Script, ScriptUrls
from apis.meta import ApiStruct, KubeObject, PrinterColumn, Rule, kind, rules


@rules(
    Rule(
        rule="has(self.scriptUrls) || has(self.scriptsUrls)",
        message="spec.template.scriptUrls must name at least one URL",
        reason="FieldValueRequired",
        field_path=".scriptUrls",
    ),
    Rule(
        rule="!has(self.scriptUrls) || !has(self.scriptsUrls) || self.scriptUrls == self.scriptsUrls",
        message="spec.template.scriptsUrls is another spelling of scriptUrls; if both are given they must be equal",
        field_path=".scriptsUrls",
    ),
)
class ScriptTemplate(Script, frozen=True, kw_only=True):
    """The version that is wanted."""

    scripts_urls: Annotated[ScriptUrls, Meta(description="Another spelling of scriptUrls.")] = msgspec.field(
        default_factory=list
    )
    release_history_limit: Annotated[
        HistoryLimit | None, Meta(description="Another place of spec.releaseHistoryLimit, which comes first.")
    ] = None


class WorkerDeploymentSpec(ApiStruct, frozen=True, kw_only=True):
    """The version that is wanted, and how many earlier ones are kept."""

    template: ScriptTemplate
    release_history_limit: Annotated[
        HistoryLimit | None, Meta(description="Inactive releases that are kept; absent: 10.")
    ] = None
    active_release: Annotated[
        Name, Meta(description="A release by name or versionId that is active instead of the template's.")
    ] = ""
    paused: Annotated[bool, Meta(description="No release is made of a changed template.")] = False


class WorkerDeploymentStatus(ApiStruct, frozen=True, kw_only=True):
    """Which releases there are, and which one answers."""

    latest_release: Annotated[str, Meta(description="The release of the template.")] = ""
    active_release: Annotated[str, Meta(description="The release that should serve.")] = ""
    serving_release: Annotated[str, Meta(description="The release that serves.")] = ""
    revision: Annotated[int, Meta(description="The revision of the active release.")] = 0
    collision_count: Annotated[Count, Meta(description="How often the name of a release was taken.")] = 0
    observed_generation: ObservedGeneration = 0
    conditions: Conditions = msgspec.field(default_factory=list)


@kind(
    group="api.worker-deployment",
    version="v1alpha1",
    plural="workerdeployments",
    short_names=("wkd",),
    status=True,
    printer_columns=(
        PrinterColumn(name="Script", json_path=".spec.template.scriptName"),
        PrinterColumn(name="Active", json_path=".status.activeRelease"),
        PrinterColumn(name="Serving", json_path=".status.servingRelease"),
        PrinterColumn(name="Available", json_path='.status.conditions[?(@.type=="Available")].status'),
        PrinterColumn(name="Age", json_path=".metadata.creationTimestamp", type="date"),
    ),
)
class WorkerDeployment(KubeObject, frozen=True, kw_only=True):
    """One script of one account."""

    spec: WorkerDeploymentSpec
    status: WorkerDeploymentStatus = WorkerDeploymentStatus()
