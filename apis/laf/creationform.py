"""CreationForm: asks once for a namespace with an Application in it."""

from typing import Annotated

import msgspec
from msgspec import Meta

from apis.laf.field import KEEPS_SPEC, Conditions, Name, matches_label
from apis.meta import ApiStruct, KubeObject, PrinterColumn, Rule, kind, rules


@rules(Rule(rule="self == oldSelf", message="a form cannot be changed; make another one"), matches_label("region"))
class CreationFormSpec(ApiStruct, frozen=True, kw_only=True):
    """What is asked for."""

    display_name: Annotated[str, Meta(min_length=3, max_length=63)]
    region: Annotated[str, Meta(min_length=3, max_length=24)] = "default"
    bundle_name: Name
    runtime_name: Name


class CreationFormStatus(ApiStruct, frozen=True, kw_only=True):
    """What was made."""

    appid: str = ""
    namespace: str = ""
    created: bool = False
    conditions: Conditions = msgspec.field(default_factory=list)


@rules(KEEPS_SPEC)
@kind(
    group="application.laf.dev",
    version="v1",
    plural="creationforms",
    status=True,
    printer_columns=(
        PrinterColumn(name="AppID", json_path=".status.appid"),
        PrinterColumn(name="Created", json_path=".status.created", type="boolean"),
        PrinterColumn(name="Age", json_path=".metadata.creationTimestamp", type="date"),
    ),
)
class CreationForm(KubeObject, frozen=True, kw_only=True):
    """A request for an Application in a namespace of its own."""

    spec: CreationFormSpec | None = None
    status: CreationFormStatus = CreationFormStatus()
