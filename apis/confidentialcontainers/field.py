"""Fields that both kinds share."""

from typing import Annotated

from msgspec import Meta

from apis.meta import Condition, list_map

GROUP, VERSION = "confidentialcontainers.org", "v1alpha1"
INT32_MAX = 2**31 - 1

Conditions = Annotated[list[Condition], Meta(max_length=16), list_map("type")]
ObservedGeneration = Annotated[int, Meta(description="The generation that the status speaks of.")]
