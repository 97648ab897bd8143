"""Instances and what they refer to."""

from typing import Any

import msgspec

from apis.laf.bundle import BundleSpec
from apis.laf.cluster import Capacity, Cluster, ClusterSpec
from apis.laf.instance import Instance, InstanceSpec
from apis.laf.runtime import RuntimeSpec
from apis.meta import ObjectMeta
from tests.integration.laf.manifests import BUNDLE, RUNTIME

BUNDLE_SPEC = msgspec.convert(BUNDLE["spec"], BundleSpec)
RUNTIME_SPEC = msgspec.convert(RUNTIME["spec"], RuntimeSpec)


def instance_called(name: str = "shop", namespace: str = "tenant", **spec: Any) -> Instance:
    given = {"region": "east", "appid": "shop01", "bundle": "small", "runtime": "node18", **spec}
    return Instance(metadata=ObjectMeta(name=name, namespace=namespace, uid=f"uid-{name}"), spec=InstanceSpec(**given))


def cluster_called(name: str, *, region: str = "east", **spec: Any) -> Cluster:
    metadata = ObjectMeta(name=name, namespace="laf-system", uid=f"uid-{name}")
    return Cluster(metadata=metadata, spec=ClusterSpec(region=region, client_config="x", **spec))


def cores(number: int) -> Capacity:
    return Capacity(cpu=number)
