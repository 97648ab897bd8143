"""How the workers of an account are reached from outside."""

from enum import StrEnum
from typing import Annotated

import msgspec
from msgspec import Meta

from apis.cfworker.field import Name
from apis.meta import ApiStruct


class IngressMode(StrEnum):
    PATH = "path"
    HOST = "host"


class Ingress(ApiStruct, frozen=True, kw_only=True):
    """How the workers are reached from outside."""

    enabled: Annotated[bool, Meta(description="Whether there is an Ingress at all.")] = True
    mode: Annotated[IngressMode, Meta(description="A path or a host of its own for each worker.")] = IngressMode.PATH
    host: Annotated[Name, Meta(description="The host; empty: that of the installation.")] = ""
    class_name: Annotated[Name, Meta(description="The IngressClass.")] = ""
    tls_secret_name: Annotated[Name, Meta(description="The Secret with the certificate; empty: no TLS.")] = ""
    annotations: Annotated[dict[str, str], Meta(description="Further annotations of the Ingress.")] = msgspec.field(
        default_factory=dict
    )
