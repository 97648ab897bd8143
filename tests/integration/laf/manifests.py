"""Manifests of every kind of laf that a server accepts, to be changed by a test."""

from copy import deepcopy
from typing import Any

Manifest = dict[str, Any]

BUNDLE: Manifest = {
    "apiVersion": "application.laf.dev/v1",
    "kind": "Bundle",
    "metadata": {"name": "small"},
    "spec": {
        "displayName": "Small",
        "requestCPU": "250m",
        "requestMemory": "128Mi",
        "limitCPU": "1",
        "limitMemory": "512Mi",
        "databaseCapacity": "2Gi",
        "storageCapacity": "2Gi",
        "networkTrafficOutbound": "5Gi",
        "priority": 20,
    },
}
RUNTIME: Manifest = {
    "apiVersion": "runtime.laf.dev/v1",
    "kind": "Runtime",
    "metadata": {"name": "node18"},
    "spec": {
        "type": "node:laf",
        "image": {"main": "registry.example/app:1.0", "init": "registry.example/app-init:1.0"},
        "version": {"version": "1.0"},
    },
}
CLUSTER: Manifest = {
    "apiVersion": "instance.laf.dev/v1",
    "kind": "Cluster",
    "metadata": {"name": "east-1"},
    "spec": {"region": "east", "clientConfig": "a2luZDogQ29uZmlnCg==", "capacity": {"cpu": 40, "memory": "96Gi"}},
}
INSTANCE: Manifest = {
    "apiVersion": "instance.laf.dev/v1",
    "kind": "Instance",
    "metadata": {"name": "shop"},
    "spec": {"region": "east", "appid": "shop01", "bundle": "small", "runtime": "node18"},
}
APPLICATION: Manifest = {
    "apiVersion": "application.laf.dev/v1",
    "kind": "Application",
    "metadata": {"name": "shop"},
    "spec": {"appid": "shop01", "region": "east", "bundleName": "small", "runtimeName": "node18"},
}
FORM: Manifest = {
    "apiVersion": "application.laf.dev/v1",
    "kind": "CreationForm",
    "metadata": {"name": "form"},
    "spec": {"displayName": "My shop", "bundleName": "small", "runtimeName": "node18"},
}
FUNCTION: Manifest = {
    "apiVersion": "runtime.laf.dev/v1",
    "kind": "Function",
    "metadata": {"name": "hello"},
    "spec": {"description": "says hello", "methods": ["GET"], "source": {"codes": "exports.main = 1"}},
}
PACKAGE: Manifest = {
    "apiVersion": "runtime.laf.dev/v1",
    "kind": "Package",
    "metadata": {"name": "axios"},
    "spec": {"name": "axios", "type": "npm"},
}
EVERY_KIND = (BUNDLE, RUNTIME, CLUSTER, INSTANCE, APPLICATION, FORM, FUNCTION, PACKAGE)


def having(manifest: Manifest, **fields: Any) -> Manifest:
    """*manifest* with other fields of its spec; None takes one away."""
    changed = deepcopy(manifest)
    spec = {**changed["spec"], **fields}
    changed["spec"] = {name: value for name, value in spec.items() if value is not None}
    return changed


def with_spec(manifest: Manifest, spec: Any) -> Manifest:
    return {**manifest, "spec": spec}
