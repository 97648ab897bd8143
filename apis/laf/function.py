"""Function and Package: stored for the tools of laf; no controller here looks at them."""

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from apis.laf.field import KEEPS_SPEC
from apis.meta import ApiStruct, KubeObject, kind, rules, server_default


class FunctionSource(ApiStruct, frozen=True, kw_only=True):
    codes: str = ""
    uri: str = ""
    version: Annotated[int, server_default(0)] = 0


class FunctionSpec(ApiStruct, frozen=True, kw_only=True):
    """A cloud function."""

    description: str
    methods: list[str]
    websocket: Annotated[bool, server_default(value=False)] = False
    source: FunctionSource


class FunctionStatus(ApiStruct, frozen=True, kw_only=True):
    state: Literal["Deployed"] = "Deployed"


@rules(KEEPS_SPEC)
@kind(group="runtime.laf.dev", version="v1", plural="functions", status=True)
class Function(KubeObject, frozen=True, kw_only=True):
    """A cloud function of an application."""

    spec: FunctionSpec | None = None
    status: FunctionStatus = msgspec.field(default_factory=FunctionStatus)


class PackageSpec(ApiStruct, frozen=True, kw_only=True):
    """A dependency of functions."""

    name: str
    type: str
    registry: str = ""
    version: Annotated[str, Meta(description="Which one is wanted.")] = "latest"


class PackageStatus(ApiStruct, frozen=True, kw_only=True):
    actual_version: str = ""


@rules(KEEPS_SPEC)
@kind(group="runtime.laf.dev", version="v1", plural="packages", status=True)
class Package(KubeObject, frozen=True, kw_only=True):
    """A package that functions of an application use."""

    spec: PackageSpec | None = None
    status: PackageStatus = PackageStatus()
