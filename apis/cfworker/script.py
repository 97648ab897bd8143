"""The field group "script": one version of one script, as a WorkerDeployment and a WorkerRelease spell it."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from apis.cfworker.field import SCRIPT_URLS_LIMIT, Name, ScriptName, ScriptUrl
from apis.meta import LIST_ATOMIC, ApiStruct

SecretRef = Annotated[Name, Meta(description="A Secret of this namespace with the script's secrets; empty: none.")]
# No pattern: the placeholder of upstream's samples is admitted, and the controller reports it.
CompatibilityDate = Annotated[
    str, Meta(max_length=32, description="YYYY-MM-DD or MM/DD/YYYY; empty: the default of the installation.")
]
ScriptUrls = Annotated[
    list[ScriptUrl],
    LIST_ATOMIC,
    Meta(
        min_length=1,
        max_length=SCRIPT_URLS_LIMIT,
        description="s3://bucket/key, or a key of the default bucket; a key that is no object is a directory.",
    ),
]
CompatibilityFlags = Annotated[
    list[Annotated[str, Meta(max_length=128)]],
    LIST_ATOMIC,
    Meta(max_length=64, description="Switches of the runtime, such as nodejs_compat."),
]
MainModule = Annotated[
    str, Meta(max_length=512, description="The module that has the handlers; empty: found by its name.")
]
VersionId = Annotated[str, Meta(max_length=64, description="Tells two uploads of equal code apart.")]


class BindingType(StrEnum):
    PLAIN_TEXT = "plain_text"
    JSON = "json"
    SERVICE = "service"
    VERSION_METADATA = "version_metadata"


class Binding(ApiStruct, frozen=True, kw_only=True):
    """What the script finds under one name of its environment; never the value of a secret."""

    name: Annotated[str, Meta(min_length=1, max_length=128, description="The name in the script's environment.")]
    type: Annotated[BindingType, Meta(description="What the name stands for.")]
    text: Annotated[str, Meta(max_length=32768, description="The value of plain_text.")] = ""
    json: Annotated[str, Meta(max_length=32768, description="The value of json, as JSON text.")] = ""
    service: Annotated[str, Meta(max_length=63, description="The script that a service binding calls.")] = ""
    entrypoint: Annotated[str, Meta(max_length=128, description="The export of that script; empty: default.")] = ""


Bindings = Annotated[list[Binding], LIST_ATOMIC, Meta(max_length=256, description="The script's environment.")]


class Script(ApiStruct, frozen=True, kw_only=True):
    """One version of one script."""

    script_name: Annotated[ScriptName, Meta(description="Lower case letters, digits, dashes and underscores.")]
    secret_ref: SecretRef = ""
    compatibility_date: CompatibilityDate = ""
    script_urls: ScriptUrls = msgspec.field(default_factory=list)
    compatibility_flags: CompatibilityFlags = msgspec.field(default_factory=list)
    main_module: MainModule = ""
    bindings: Bindings = msgspec.field(default_factory=list)
    version_id: VersionId = ""
