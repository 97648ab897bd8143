"""A control plane that writes down every request of a service account, with nodes that kwok plays."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec

from framework.testing.control_plane import ControlPlane

# Who asked, for what, and what the answer was; of watches when they begin, as they have no end while a test looks.
_POLICY = {
    "apiVersion": "audit.k8s.io/v1",
    "kind": "Policy",
    "omitStages": ["RequestReceived"],
    "rules": [{"level": "Metadata", "userGroups": ["system:serviceaccounts"]}, {"level": "None"}],
}


class Asked(msgspec.Struct, frozen=True):
    """One request of a service account, in the words of a role."""

    verb: str
    group: str
    # With its subresource, as in a role.
    resource: str
    namespace: str
    name: str
    code: int


class AuditedPlane(msgspec.Struct, frozen=True):
    plane: ControlPlane
    log: Path

    def asked_by(self, namespace: str, account: str) -> set[Asked]:
        whole, _, _ = self.log.read_text().rpartition("\n")
        user = f"system:serviceaccount:{namespace}:{account}"
        events = [json.loads(line) for line in whole.splitlines()]
        return {_asked(event) for event in events if event["user"]["username"] == user and "objectRef" in event}


@contextmanager
def audited_plane(binaries: Path, folder: Path) -> Iterator[AuditedPlane]:
    folder.mkdir(parents=True, exist_ok=True)
    policy, log = folder / "policy.json", folder / "requests.log"
    policy.write_text(json.dumps(_POLICY))
    flags = (f"--audit-policy-file={policy}", f"--audit-log-path={log}", "--audit-log-mode=blocking")
    with ControlPlane(
        binaries, folder / "plane", controller_manager=True, scheduler=True, kwok_nodes=1, extra_apiserver_args=flags
    ) as started:
        yield AuditedPlane(started, log)


def _asked(event: dict[str, Any]) -> Asked:
    asked = event["objectRef"]
    subresource = asked.get("subresource", "")
    return Asked(
        event["verb"],
        asked.get("apiGroup", ""),
        f"{asked['resource']}/{subresource}" if subresource else asked["resource"],
        asked.get("namespace", ""),
        asked.get("name", ""),
        event.get("responseStatus", {}).get("code", 0),
    )
