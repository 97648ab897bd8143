"""The chart on a cluster, by the real helm."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.component.program import Program
from tests.conftest import Kubectl

CHART = Path(__file__).parents[3] / "charts" / "windlass"
VALUES_FILES = sorted((CHART / "ci").glob("*-values.yaml"))
RESTRICTED = "pod-security.kubernetes.io/enforce=restricted"
# What comes and goes with others: what the server makes of definitions, what controllers say, who leads.
_PASSING = ("events", "leases.coordination.k8s.io", "apiservices.apiregistration.k8s.io", "endpoints")


class Release:
    """One release in one namespace, in which only restricted pods are let."""

    def __init__(self, helm: Program, kubectl: Kubectl, name: str, namespace: str) -> None:
        self._helm = helm.with_arguments("--namespace", namespace)
        self.kubectl = kubectl
        self.name = name
        self.namespace = namespace

    def install(self, *flags: str) -> str:
        return self._helm("install", self.name, str(CHART), "--wait", "--timeout=80s", *flags)

    def upgrade(self, *flags: str) -> str:
        return self._helm("upgrade", self.name, str(CHART), "--wait", "--timeout=80s", *flags)

    def rollback(self, revision: int) -> str:
        return self._helm("rollback", self.name, str(revision), "--wait", "--timeout=80s")

    def uninstall(self) -> str:
        return self._helm("uninstall", self.name, "--wait", "--timeout=80s")

    def test(self) -> str:
        return self._helm("test", self.name, "--timeout=80s")

    def history(self) -> list[tuple[int, str]]:
        return [(one["revision"], one["status"]) for one in json.loads(self._helm("history", self.name, "-o", "json"))]

    def manifests(self) -> list[dict[str, Any]]:
        return [document for document in yaml.safe_load_all(self._helm("get", "manifest", self.name)) if document]

    def hooks(self) -> list[dict[str, Any]]:
        return [document for document in yaml.safe_load_all(self._helm("get", "hooks", self.name)) if document]

    def deployment(self, component: str) -> dict[str, Any]:
        found = self.kubectl(
            "get", "deployment", f"{self.name}-{component}", "-n", self.namespace, "-o", "json", check=True
        )
        deployment: dict[str, Any] = json.loads(found.stdout)
        return deployment

    def account(self, component: str) -> str:
        name: str = self.deployment(component)["spec"]["template"]["spec"]["serviceAccountName"]
        return name

    def token(self, account: str) -> str:
        return self.kubectl("create", "token", account, "-n", self.namespace, check=True).stdout.strip()


def everything(kubectl: Kubectl) -> frozenset[str]:
    """The name of every object of the cluster, but for what comes and goes."""
    listed = kubectl("api-resources", "--verbs=list", "-o", "name", check=True).stdout.split()
    kinds = [kind for kind in listed if kind not in _PASSING and not kind.startswith("events.")]
    shape = "{range .items[*]}{.kind}/{.metadata.namespace}/{.metadata.name}{'\\n'}{end}"
    found = kubectl("get", ",".join(kinds), "--all-namespaces", "-o", f"jsonpath={shape}", check=True).stdout
    return frozenset(line for line in found.splitlines() if not line.startswith(("Event/", "Lease/")))


def by_kind(manifests: Iterable[Mapping[str, Any]], *kinds: str) -> list[Mapping[str, Any]]:
    return [manifest for manifest in manifests if manifest["kind"] in kinds]
