"""Nodes and configs, with what matters to a test."""

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec

from apis.confidentialcontainers.peerpodconfig import PeerPodConfig, PeerPodConfigSpec
from apis.core.v1 import Node, NodeSpec, NodeStatus, Taint
from apis.meta import ObjectMeta
from controllers.peerpodconfig.allocation import Claim
from controllers.peerpodconfig.validation import wishes_of
from controllers.peerpods.names import EXTENDED_RESOURCE

START = datetime(2026, 1, 1, tzinfo=UTC)


def a_node(
    name: str = "a",
    labels: dict[str, str] | None = None,
    *,
    taints: tuple[Taint, ...] = (),
    age: int = 0,
    vms: str = "",
) -> Node:
    metadata = ObjectMeta(
        name=name, uid=f"uid-{name}", labels=labels or {}, creation_timestamp=START + timedelta(seconds=age)
    )
    numbers = {EXTENDED_RESOURCE: vms} if vms else {}
    return Node(
        metadata=metadata,
        spec=NodeSpec(taints=list(taints)),
        status=NodeStatus(capacity=numbers, allocatable=numbers),
    )


def a_spec(**fields: Any) -> PeerPodConfigSpec:
    names = {"cloudSecretName": "peer-pods-secret", "configMapName": "peer-pods-cm"}
    return msgspec.convert({**names, **fields}, PeerPodConfigSpec)


def a_config(name: str = "config", *, namespace: str = "operands", age: int = 0, **fields: Any) -> PeerPodConfig:
    metadata = ObjectMeta(
        name=name,
        namespace=namespace,
        uid=f"0123456789-{name}",
        generation=1,
        creation_timestamp=START + timedelta(seconds=age),
    )
    return PeerPodConfig(metadata=metadata, spec=a_spec(**fields))


def a_claim(name: str = "config", *, is_frozen: bool = False, **fields: Any) -> Claim:
    config = a_config(name, **fields)
    return Claim(config, None if is_frozen else wishes_of(config.spec))
