"""What can be said about the pods that serve an account."""

from typing import Annotated

import msgspec
from msgspec import Meta

from apis.cfworker.field import Name, Quantity
from apis.meta import LIST_ATOMIC, ApiStruct

_Replicas = Annotated[int, Meta(ge=0, le=1000)]
_Amounts = Annotated[dict[str, Quantity], Meta(max_length=32)]


class Resources(ApiStruct, frozen=True, kw_only=True):
    """What a container asks for, and what it may use."""

    requests: Annotated[_Amounts, Meta(description="What is kept free for it.")] = msgspec.field(default_factory=dict)
    limits: Annotated[_Amounts, Meta(description="What it may use at most.")] = msgspec.field(default_factory=dict)


class Toleration(ApiStruct, frozen=True, kw_only=True):
    """A taint that does not keep the pods away."""

    key: Annotated[str, Meta(description="The taint; empty: all.")] = ""
    operator: Annotated[str, Meta(description="Exists or Equal.")] = ""
    value: Annotated[str, Meta(description="The taint's value, for Equal.")] = ""
    effect: Annotated[str, Meta(description="The taint's effect; empty: all.")] = ""
    toleration_seconds: Annotated[int | None, Meta(description="How long a pod stays under NoExecute.")] = None


class Autoscaling(ApiStruct, frozen=True, kw_only=True):
    """How many pods there are, by the load."""

    min_replicas: Annotated[int, Meta(ge=1, le=1000, description="At least so many.")] = 1
    max_replicas: Annotated[int, Meta(ge=1, le=1000, description="At most so many.")]
    target_cpu_utilization: Annotated[
        int, Meta(ge=1, le=1000, description="Percent of the requested CPU that is aimed at.")
    ] = msgspec.field(name="targetCPUUtilization", default=80)


class PodOptions(ApiStruct, frozen=True, kw_only=True):
    """What the pods are like."""

    image_pull_secret: Annotated[Name, Meta(description="The Secret that the image is pulled with; empty: none.")] = ""
    replicas: Annotated[_Replicas | None, Meta(description="Pods; absent: 1.")] = None
    resources: Annotated[Resources | None, Meta(description="Of the container.")] = None
    node_selector: Annotated[dict[str, str], Meta(description="Labels of the nodes that the pods run on.")] = (
        msgspec.field(default_factory=dict)
    )
    tolerations: Annotated[list[Toleration], LIST_ATOMIC, Meta(description="Taints that the pods bear.")] = (
        msgspec.field(default_factory=list)
    )
    service_account_name: Annotated[Name, Meta(description="Of the pods; empty: default.")] = ""
    autoscaling: Annotated[Autoscaling | None, Meta(description="Given: replicas is left to the autoscaler.")] = None
