"""WorkerBundle: what serves an account: one image, and a port for each script."""

from typing import Annotated

import msgspec
from msgspec import Meta

from apis.cfworker.field import (
    WORKERS_LIMIT,
    BundleName,
    Conditions,
    Count,
    HistoryLimit,
    Name,
    ObservedGeneration,
    Port,
    ScriptName,
)
from apis.cfworker.ingress import Ingress
from apis.cfworker.pod import PodOptions
from apis.meta import LIST_ATOMIC, ApiStruct, KubeObject, PrinterColumn, Rule, field_rules, kind, list_map


class BundledWorker(ApiStruct, frozen=True, kw_only=True):
    """One script, and where it answers."""

    worker_name: Annotated[ScriptName, Meta(description="The script.")]
    worker_number: Annotated[Port, Meta(description="The port.")]
    env_prefix: Annotated[str, Meta(max_length=128, description="What the names of its variables begin with.")] = ""
    secret_ref: Annotated[Name, Meta(description="The Secret with its variables; empty: none.")] = ""
    release_name: Annotated[Name, Meta(description="The WorkerRelease that it is.")] = ""
    exposed: Annotated[bool, Meta(description="Whether it is reached from outside.")] = True


_UNIQUE_PORTS = Rule(
    rule="self.all(one, self.exists_one(other, other.workerNumber == one.workerNumber))",
    message="each worker needs a workerNumber of its own",
    reason="FieldValueDuplicate",
)


class BundlePod(PodOptions, frozen=True, kw_only=True):
    """The pods."""

    image: Annotated[str, Meta(max_length=1024, description="What runs; empty: nothing yet.")] = ""


class WorkerBundleSpec(ApiStruct, frozen=True, kw_only=True):
    """What serves."""

    deployment_name: Annotated[BundleName, Meta(description="What the names of all that is made begin with.")]
    workers: Annotated[
        list[BundledWorker],
        Meta(max_length=WORKERS_LIMIT, description="The scripts."),
        list_map("workerName"),
        field_rules(_UNIQUE_PORTS),
    ] = msgspec.field(default_factory=list)
    pod_template: Annotated[BundlePod, Meta(description="What the pods are like.")]
    ingress: Annotated[Ingress, Meta(description="How the workers are reached from outside.")] = Ingress()
    image_history_limit: Annotated[HistoryLimit, Meta(description="Earlier images that are kept.")] = 0


class BundleNames(ApiStruct, frozen=True, kw_only=True):
    """What was made."""

    deployment: Annotated[str, Meta(description="The Deployment.")] = ""
    service: Annotated[str, Meta(description="The Service.")] = ""
    ingress: Annotated[str, Meta(description="The Ingress.")] = ""


class BundleImage(ApiStruct, frozen=True, kw_only=True):
    """An image that a JobBuilder made for this bundle."""

    image: Annotated[str, Meta(description="Its reference.")] = ""
    digest: Annotated[str, Meta(description="Its digest.")] = ""
    job_builder: Annotated[str, Meta(description="The JobBuilder that made it.")] = ""


class WorkerBundleStatus(ApiStruct, frozen=True, kw_only=True):
    """What runs."""

    names: Annotated[BundleNames | None, Meta(description="What was made.")] = None
    image: Annotated[str, Meta(description="The image that is rolled out.")] = ""
    ready_replicas: Annotated[Count, Meta(description="Pods that are ready.")] = 0
    worker_count: Annotated[Count, Meta(description="How many scripts there are.")] = 0
    image_history: Annotated[
        list[BundleImage], LIST_ATOMIC, Meta(description="Images in the registry that are this bundle's.")
    ] = msgspec.field(default_factory=list)
    unpurged: Annotated[
        list[str], LIST_ATOMIC, Meta(description="Images that the registry does not let us delete.")
    ] = msgspec.field(default_factory=list)
    observed_generation: ObservedGeneration = 0
    conditions: Conditions = msgspec.field(default_factory=list)


@kind(
    group="api.worker-bundle",
    version="v1alpha1",
    plural="workerbundles",
    short_names=("wkb",),
    status=True,
    printer_columns=(
        PrinterColumn(name="Image", json_path=".spec.podTemplate.image"),
        PrinterColumn(name="Workers", json_path=".status.workerCount", type="integer"),
        PrinterColumn(name="Ready", json_path=".status.readyReplicas", type="integer"),
        PrinterColumn(name="Age", json_path=".metadata.creationTimestamp", type="date"),
    ),
)
class WorkerBundle(KubeObject, frozen=True, kw_only=True):
    """What serves an account."""

    spec: WorkerBundleSpec
    status: WorkerBundleStatus = WorkerBundleStatus()
