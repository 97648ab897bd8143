"""The audit log of an API server: every write to some resources, with its answer, in the server's own words."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_WRITES = ("create", "update", "patch", "delete", "deletecollection")
_CORE = frozenset({"configmaps", "secrets", "pods", "services", "events"})


class AuditLog:
    """Of no resource by default; then the server is not told to keep one."""

    def __init__(self, folder: Path, resources: Sequence[str]) -> None:
        self._policy = folder / "audit-policy.json"
        self._log = folder / "audit.log"
        self._resources = tuple(resources)

    @property
    def apiserver_args(self) -> tuple[str, ...]:
        if not self._resources:
            return ()
        return (
            f"--audit-policy-file={self._policy}",
            f"--audit-log-path={self._log}",
            # Written before the client has its answer, so that who has one finds it here.
            "--audit-log-mode=blocking",
            # All in one file.
            "--audit-log-maxsize=10000",
        )

    def write_policy(self) -> None:
        if self._resources:
            self._policy.parent.mkdir(parents=True, exist_ok=True)
            self._policy.write_text(json.dumps(self._document()))

    def events(self) -> list[dict[str, Any]]:
        """All so far, in the order in which they were answered; one that is being written is left out."""
        whole, _, _ = self._log.read_text().rpartition("\n")
        return [json.loads(line) for line in whole.splitlines()]

    def _document(self) -> dict[str, Any]:
        groups = [
            {"group": "", "resources": [name for name in self._resources if name in _CORE]},
            {"group": "coordination.k8s.io", "resources": [name for name in self._resources if name == "leases"]},
        ]
        # An empty list of resources would mean all of them.
        audited = [group for group in groups if group["resources"]]
        return {
            "apiVersion": "audit.k8s.io/v1",
            "kind": "Policy",
            "omitStages": ["RequestReceived", "ResponseStarted"],
            "omitManagedFields": True,
            "rules": [
                {"level": "RequestResponse", "verbs": list(_WRITES), "resources": audited},
                {"level": "None"},
            ],
        }
