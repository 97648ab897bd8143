"""What can be chosen about the mutator."""

from collections.abc import Mapping
from typing import Literal, cast

import msgspec

from controllers.peerpods.names import EXTENDED_RESOURCE
from framework.errors import ConfigurationError

Aggregation = Literal["sum", "effective"]


class MutatorOptions(msgspec.Struct, frozen=True):
    runtime_classes: tuple[str, ...] = ("kata-remote",)
    extended_resource: str = EXTENDED_RESOURCE
    # How the needs of containers become one: all of them together, or what they need at any one time.
    aggregation: Aggregation = "sum"


def mutator_options(environment: Mapping[str, str]) -> MutatorOptions:
    """Of the variables in *environment*; what is empty counts as not set."""
    default = MutatorOptions()
    classes = tuple(name for each in environment.get("TARGET_RUNTIMECLASS", "").split(",") if (name := each.strip()))
    aggregation = environment.get("RESOURCE_AGGREGATION") or default.aggregation
    if aggregation not in {"sum", "effective"}:
        raise ConfigurationError(f"RESOURCE_AGGREGATION is {aggregation!r}; it can be sum or effective")
    return MutatorOptions(
        classes or default.runtime_classes,
        environment.get("POD_VM_EXTENDED_RESOURCE") or default.extended_resource,
        cast("Aggregation", aggregation),
    )
