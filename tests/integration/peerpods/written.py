"""What a user has written, in the words of the API server: its audit log."""

import json
from collections.abc import Sequence
from pathlib import Path

_WRITES = ["create", "update", "patch", "delete", "deletecollection"]


class Written:
    """Everything that *user* has stored, events included. A review of rights is a create, and stores nothing."""

    def __init__(self, folder: Path, user: str) -> None:
        self._policy, self._log = folder / "policy.json", folder / "written.log"
        rules = [
            {"level": "None", "resources": [{"group": "authorization.k8s.io"}]},
            {"level": "Metadata", "users": [user], "verbs": _WRITES},
            {"level": "None"},
        ]
        document = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"]}
        self._policy.write_text(json.dumps({**document, "rules": rules}))

    @property
    def apiserver_args(self) -> Sequence[str]:
        # Written before the user has the answer, and all in one file.
        log = (f"--audit-log-path={self._log}", "--audit-log-mode=blocking", "--audit-log-maxsize=10000")
        return (f"--audit-policy-file={self._policy}", *log)

    def all(self) -> list[str]:
        """In the order in which they were answered: the verb, the resource and the name of each."""
        whole, _, _ = self._log.read_text().rpartition("\n")
        return [_told(line) for line in whole.splitlines()]


def _told(line: str) -> str:
    event = json.loads(line)
    asked = event["objectRef"]
    resource = "/".join(filter(None, (asked["resource"], asked.get("subresource", ""))))
    return f"{event['verb']} {resource} {asked.get('name', '')}"
