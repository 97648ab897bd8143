"""How an image is built."""

from enum import StrEnum
from typing import Annotated

from msgspec import Meta

from apis.cfworker.field import INT32_MAX
from apis.cfworker.pod import Resources
from apis.meta import ApiStruct

_Reference = Annotated[str, Meta(max_length=512)]


class BuilderType(StrEnum):
    OCI = "oci"
    BUILDKIT = "buildkit"
    KANIKO = "kaniko"


class Builder(ApiStruct, frozen=True, kw_only=True):
    """How an image is built; what is absent is as the installation says."""

    type: Annotated[BuilderType | None, Meta(description="What makes the image.")] = None
    image: Annotated[_Reference, Meta(description="The image of the build's container.")] = ""
    base_image: Annotated[_Reference, Meta(description="What the code is put upon; scratch: nothing.")] = ""
    platform: Annotated[str, Meta(max_length=64, description="Of a base that has several, such as linux/arm64.")] = ""
    timeout_seconds: Annotated[int, Meta(ge=1, le=INT32_MAX, description="How long a build may take.")] = 900
    backoff_limit: Annotated[int, Meta(ge=0, le=100, description="How often a Job tries again.")] = 2
    resources: Annotated[Resources | None, Meta(description="Of the build's containers.")] = None
