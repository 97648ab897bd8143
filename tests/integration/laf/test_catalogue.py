"""Bundles and Runtimes, with a real process on a real hub."""

import json
import subprocess
from collections.abc import Callable
from typing import Any

from apis.laf.bundle import Bundle
from apis.meta import Key
from framework.client import Client
from framework.errors import NotFound
from tests.integration.laf.conftest import Hosts
from tests.integration.laf.manifests import APPLICATION, BUNDLE, INSTANCE, RUNTIME, Manifest, having
from tests.integration.requeststate.processes import eventually

Kubectl = Callable[..., subprocess.CompletedProcess[str]]


def apply(kubectl: Kubectl, namespace: str, *manifests: Manifest) -> None:
    for manifest in manifests:
        kubectl("apply", "-n", namespace, "-f", "-", input=json.dumps(manifest), check=True)


def condition(kubectl: Kubectl, namespace: str, what: str, type_: str) -> tuple[str, str]:
    """Status and reason."""
    found = json.loads(kubectl("get", "-n", namespace, what, "-o", "json", check=True).stdout)
    told: list[dict[str, Any]] = found.get("status", {}).get("conditions", [])
    return next(((each["status"], each["reason"]) for each in told if each["type"] == type_), ("", ""))


def test_entries_tell_who_uses_them(hosts: Hosts, kubectl: Kubectl, system: str, namespace: str) -> None:
    hosts.start()
    apply(kubectl, system, BUNDLE, RUNTIME)
    eventually(lambda: condition(kubectl, system, "bundle/small", "InUse") == ("False", "NotInUse"), "not used")

    apply(kubectl, namespace, APPLICATION)

    for what in ("bundle/small", "runtime/node18"):
        eventually(lambda: condition(kubectl, system, what, "InUse") == ("True", "InUse"), f"{what} used")  # noqa: B023 - called at once
    found = json.loads(kubectl("get", "-n", system, "bundle/small", "-o", "json", check=True).stdout)
    assert found["status"]["appCount"] == 1
    assert found["metadata"]["finalizers"] == ["bundle.application.laf.dev"]


def test_a_bundle_that_is_used_is_kept_until_nobody_does(
    hosts: Hosts, client: Client, kubectl: Kubectl, system: str, namespace: str
) -> None:
    hosts.start()
    apply(kubectl, system, BUNDLE)
    apply(kubectl, namespace, having(INSTANCE, bundleNamespace=system))
    eventually(lambda: condition(kubectl, system, "bundle/small", "InUse") == ("True", "InUse"), "used")

    kubectl("delete", "-n", system, "bundle/small", "--wait=false", check=True)

    eventually(lambda: condition(kubectl, system, "bundle/small", "InUse") == ("True", "DeletionBlocked"), "blocked")
    eventually(
        lambda: "DeletionBlocked" in kubectl("events", "-n", system, "--for=bundle/small").stdout, "the event is there"
    )
    kubectl("delete", "-n", namespace, "instance/shop", check=True)
    eventually(lambda: is_gone(client, Key(system, "small")), "the bundle is gone")


def is_gone(client: Client, key: Key) -> bool:
    try:
        client.get(Bundle, key)
    except NotFound:
        return True
    return False
