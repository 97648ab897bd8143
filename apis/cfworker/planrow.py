"""One row of a build plan: all that the build must know of one script, and no value of a secret."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from apis.cfworker.field import Port, ScriptName
from apis.cfworker.script import CompatibilityFlags, MainModule, ScriptUrls
from apis.meta import LIST_ATOMIC, ApiStruct


class PlanBindingKind(StrEnum):
    TEXT = "text"
    JSON = "json"
    ENV = "env"
    SERVICE = "service"
    WASM = "wasm"
    DATA = "data"


class PlanBinding(ApiStruct, frozen=True, kw_only=True):
    """What the script finds under one name of its environment."""

    name: Annotated[str, Meta(max_length=256, description="The name in the script's environment.")]
    kind: Annotated[PlanBindingKind, Meta(description="What the name stands for.")]
    value: Annotated[
        str, Meta(max_length=32768, description="The text, the JSON text, or the variable of the pod with the secret.")
    ] = ""
    service: Annotated[str, Meta(max_length=63, description="The script that is called.")] = ""
    entrypoint: Annotated[str, Meta(max_length=128, description="The export of that script.")] = ""
    file: Annotated[str, Meta(max_length=512, description="The module that is the value of wasm and data.")] = ""


class PlanRow(ApiStruct, frozen=True, kw_only=True):
    """One script of the image."""

    name: Annotated[ScriptName, Meta(description="The script.")]
    port: Annotated[Port, Meta(description="Where it answers.")]
    release: Annotated[str, Meta(max_length=253, description="The WorkerRelease that it is.")] = ""
    main_module: MainModule = ""
    compatibility_date: Annotated[str, Meta(max_length=32, description="YYYY-MM-DD.")] = ""
    compatibility_flags: CompatibilityFlags = msgspec.field(default_factory=list)
    sources: Annotated[ScriptUrls, Meta(description="Where the code is.")]
    bindings: Annotated[
        list[PlanBinding], LIST_ATOMIC, Meta(max_length=1024, description="The script's environment.")
    ] = msgspec.field(default_factory=list)
