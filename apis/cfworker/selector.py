"""LabelSelector: which labels match, as everywhere in Kubernetes."""

from typing import Annotated

import msgspec
from msgspec import Meta

from apis.meta import LIST_ATOMIC, ApiStruct


class LabelSelectorRequirement(ApiStruct, frozen=True, kw_only=True):
    """Which values of one label match."""

    key: Annotated[str, Meta(description="The label.")]
    # Without an enum: the controller names the operators that exist, in a condition.
    operator: Annotated[str, Meta(description="In, NotIn, Exists or DoesNotExist.")]
    values: Annotated[list[str], LIST_ATOMIC, Meta(description="The values, for In and NotIn.")] = msgspec.field(
        default_factory=list
    )


class LabelSelector(ApiStruct, frozen=True, kw_only=True):
    """Which labels match; all that is said must hold, and an empty selector matches everything."""

    match_labels: Annotated[dict[str, str], Meta(description="Labels and their values.")] = msgspec.field(
        default_factory=dict
    )
    match_expressions: Annotated[
        list[LabelSelectorRequirement], LIST_ATOMIC, Meta(description="Requirements on single labels.")
    ] = msgspec.field(default_factory=list)
