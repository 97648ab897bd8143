"""WorkerAccount: whose scripts are served together; its name is the account's id."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from apis.cfworker.builder import Builder
from apis.cfworker.field import BundleName, Conditions, Count, HistoryLimit, ObservedGeneration, Port
from apis.cfworker.ingress import Ingress
from apis.cfworker.pod import PodOptions
from apis.cfworker.selector import LabelSelector
from apis.meta import LIST_ATOMIC, MAP_ATOMIC, ApiStruct, KubeObject, PrinterColumn, kind


class Egress(StrEnum):
    PUBLIC = "public"
    PRIVATE = "private"
    NONE = "none"


class WorkerState(StrEnum):
    BUILDING = "Building"
    DEPLOYING = "Deploying"
    SERVING = "Serving"


class WorkerAccountSpec(ApiStruct, frozen=True, kw_only=True):
    """Which releases belong to the account, and how they are built and served."""

    worker_bundle_name: Annotated[BundleName, Meta(description="The WorkerBundle that serves the account.")]
    worker_release_selector: Annotated[
        LabelSelector, MAP_ATOMIC, Meta(description="Which releases belong to the account; empty: all.")
    ]
    pod_template: Annotated[PodOptions, Meta(description="What the pods are like.")] = PodOptions()
    target_repository: Annotated[
        str, Meta(max_length=400, description="Where images are pushed to; empty: as the installation says.")
    ] = ""
    builder: Annotated[Builder, Meta(description="How images are built.")] = Builder()
    ingress: Annotated[Ingress, Meta(description="How the workers are reached from outside.")] = Ingress()
    egress: Annotated[Egress, Meta(description="Which addresses the scripts can reach.")] = Egress.PUBLIC
    subdomain: Annotated[str, Meta(max_length=63, description="The account's name below workers.dev.")] = ""
    display_name: Annotated[str, Meta(max_length=253, description="The account's name for people.")] = ""
    build_history_limit: Annotated[HistoryLimit, Meta(description="Finished JobBuilders that are kept.")] = 3
    image_history_limit: Annotated[HistoryLimit, Meta(description="Earlier images that are kept.")] = 0


class ComposedWorker(ApiStruct, frozen=True, kw_only=True):
    """One script of the account."""

    script_name: Annotated[str, Meta(description="The script.")] = ""
    release: Annotated[str, Meta(description="The release that is wanted.")] = ""
    serving_release: Annotated[str, Meta(description="The release that answers.")] = ""
    port: Annotated[Port | None, Meta(description="Where it answers.")] = None
    state: Annotated[WorkerState | None, Meta(description="How far it has come.")] = None


class ExcludedWorker(ApiStruct, frozen=True, kw_only=True):
    """A release that is not composed, and why."""

    script_name: Annotated[str, Meta(description="The script.")] = ""
    release: Annotated[str, Meta(description="The release that is left out.")] = ""
    reason: Annotated[str, Meta(description="Why.")] = ""


class WorkerAccountStatus(ApiStruct, frozen=True, kw_only=True):
    """What is composed and what serves."""

    bundle_name: Annotated[str, Meta(description="The WorkerBundle.")] = ""
    sequence: Annotated[int, Meta(description="Counts the compositions; a later one wins.")] = 0
    composition: Annotated[str, Meta(description="Hash of what should be served.")] = ""
    job_builder: Annotated[str, Meta(description="The JobBuilder of the composition.")] = ""
    image: Annotated[str, Meta(description="The image of the bundle.")] = ""
    ports: Annotated[dict[str, int], Meta(description="Where each script answers.")] = msgspec.field(
        default_factory=dict
    )
    workers: Annotated[list[ComposedWorker], LIST_ATOMIC, Meta(description="The scripts.")] = msgspec.field(
        default_factory=list
    )
    worker_count: Annotated[Count, Meta(description="How many scripts there are.")] = 0
    excluded: Annotated[list[ExcludedWorker], LIST_ATOMIC, Meta(description="What is left out.")] = msgspec.field(
        default_factory=list
    )
    observed_generation: ObservedGeneration = 0
    conditions: Conditions = msgspec.field(default_factory=list)


@kind(
    group="api.worker-account",
    version="v1alpha1",
    plural="workeraccounts",
    short_names=("wka",),
    status=True,
    printer_columns=(
        PrinterColumn(name="Bundle", json_path=".status.bundleName"),
        PrinterColumn(name="Workers", json_path=".status.workerCount", type="integer"),
        PrinterColumn(name="Image", json_path=".status.image"),
        PrinterColumn(name="Ready", json_path='.status.conditions[?(@.type=="Ready")].status'),
        PrinterColumn(name="Age", json_path=".metadata.creationTimestamp", type="date"),
    ),
)
class WorkerAccount(KubeObject, frozen=True, kw_only=True):
    """An account, whose scripts are served together."""

    spec: WorkerAccountSpec
    status: WorkerAccountStatus = WorkerAccountStatus()
