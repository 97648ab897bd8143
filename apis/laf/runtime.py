"""Runtime, the image catalogue: what an application of this runtime runs in."""

from typing import Annotated

import msgspec
from msgspec import Meta

from apis.laf.field import KEEPS_SPEC, Conditions, Count, ObservedGeneration
from apis.meta import ApiStruct, KubeObject, PrinterColumn, kind, rules

DEFAULT_PORT = 8000
DEFAULT_HEALTH_PATH = "/healthz"
DEFAULT_COMMAND = ("sh", "/app/start.sh")

_Image = Annotated[str, Meta(max_length=1024)]


class RuntimeImage(ApiStruct, frozen=True, kw_only=True):
    """Image references; an empty one counts as absent."""

    main: Annotated[str, Meta(min_length=1, max_length=1024)]
    init: _Image = ""
    sidecar: _Image = ""


class RuntimeImageSnapshot(ApiStruct, frozen=True, kw_only=True):
    """A RuntimeImage as part of a status."""

    main: _Image = ""
    init: _Image = ""
    sidecar: _Image = ""


class RuntimeVersion(ApiStruct, frozen=True, kw_only=True):
    """Shown to users, never acted on."""

    version: str = ""
    break_before: str = ""
    upgrade_from: list[str] = msgspec.field(default_factory=list)
    auto_upgrade_from: list[str] = msgspec.field(default_factory=list)
    must_upgrade_from: list[str] = msgspec.field(default_factory=list)


Port = Annotated[int, Meta(ge=1, le=65535, description=f"Where the runtime listens; {DEFAULT_PORT} if absent.")]
HealthPath = Annotated[str, Meta(max_length=1024, pattern=r"^/.*$", description="What the probes ask for.")]
Command = Annotated[list[str], Meta(max_length=64, description="Of the main container.")]
Deprecated = Annotated[bool, Meta(description="May not be adopted anew; who uses it keeps it.")]


class RuntimeSpec(ApiStruct, frozen=True, kw_only=True):
    """Images, and how they are started; the controller fills in what is absent."""

    type: Annotated[str, Meta(min_length=1, description="For example `node:laf`.")]
    image: RuntimeImage
    version: RuntimeVersion
    deprecated: Deprecated = False
    port: Port | None = None
    health_path: HealthPath | None = None
    command: Command | None = None


class RuntimeSnapshot(ApiStruct, frozen=True, kw_only=True):
    """A RuntimeSpec as it was when it was adopted; nothing of it is required, for it is part of a status."""

    type: str = ""
    image: RuntimeImageSnapshot = RuntimeImageSnapshot()
    version: RuntimeVersion = RuntimeVersion()
    deprecated: Deprecated = False
    port: Port | None = None
    health_path: HealthPath | None = None
    command: Command | None = None


class RuntimeStatus(ApiStruct, frozen=True, kw_only=True):
    """Who uses it."""

    app_count: Annotated[Count, Meta(description="Applications that name it.")] = 0
    observed_generation: ObservedGeneration = 0
    conditions: Conditions = msgspec.field(default_factory=list)


@rules(KEEPS_SPEC)
@kind(
    group="runtime.laf.dev",
    version="v1",
    plural="runtimes",
    status=True,
    printer_columns=(
        PrinterColumn(name="Type", json_path=".spec.type"),
        PrinterColumn(name="Version", json_path=".spec.version.version"),
        PrinterColumn(name="Deprecated", json_path=".spec.deprecated", type="boolean"),
        PrinterColumn(name="Apps", json_path=".status.appCount", type="integer"),
        PrinterColumn(name="Age", json_path=".metadata.creationTimestamp", type="date"),
    ),
)
class Runtime(KubeObject, frozen=True, kw_only=True):
    """What an Application runs in."""

    spec: RuntimeSpec | None = None
    status: RuntimeStatus = RuntimeStatus()
