"""The build plan: the whole input of one build, as the ConfigMap of a JobBuilder carries it."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from apis.cfworker.planrow import PlanBinding, PlanBindingKind, PlanRow
from apis.cfworker.workeraccount import Egress
from apis.meta import ApiStruct

__all__ = ["PLAN_FILE", "PLAN_LIMIT", "BuildPlan", "Egress", "PlanBinding", "PlanBindingKind", "PlanRow"]

PLAN_FILE = "plan.json"
# A ConfigMap holds 1 MiB, names and metadata included.
PLAN_LIMIT = 900 * 1024


class BuildPlan(ApiStruct, frozen=True, kw_only=True):
    """What one image is made of; rows are in the order in which the configuration lists them."""

    version: Annotated[int, Meta(ge=1, le=1)]
    account: str = ""
    target_image: str
    egress: Egress
    workers: Sequence[PlanRow]

    def encoded(self) -> bytes:
        """The text of the plan: the same plan gives the same bytes."""
        return msgspec.json.encode(self, order="deterministic")

    @classmethod
    def decode(cls, text: bytes) -> "BuildPlan":
        """Raise msgspec.DecodeError if *text* is no plan."""
        return msgspec.json.decode(text, type=cls)
