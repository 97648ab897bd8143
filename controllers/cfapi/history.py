"""Which version was made the active one, when and by whom: an annotation of the WorkerDeployment."""

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from apis.cfworker.workerdeployment import WorkerDeployment
from controllers.workers.keys import DEPLOYMENTS

_MOST_ENTRIES = 10


class Deployed(msgspec.Struct, frozen=True, omit_defaults=True):
    """One entry; the newest is the one in force."""

    id: str
    version_id: str
    created_on: str
    author_email: str = ""
    source: str = "wrangler"
    annotations: Mapping[str, str] = {}

    def as_result(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "source": self.source,
            "strategy": "percentage",
            "author_email": self.author_email,
            "created_on": self.created_on,
            "annotations": dict(self.annotations),
            "versions": [{"version_id": self.version_id, "percentage": 100}],
        }


def history_of(deployment: WorkerDeployment) -> list[Deployed]:
    """Newest first; what cannot be read is gone, since anybody may edit an annotation."""
    text = deployment.metadata.annotations.get(DEPLOYMENTS, "[]")
    try:
        return msgspec.json.decode(text, type=list[Deployed])
    except msgspec.DecodeError:
        return []


def with_entry(history: Sequence[Deployed], entry: Deployed) -> str:
    """The annotation with *entry* in front."""
    return msgspec.json.encode([entry, *history][:_MOST_ENTRIES]).decode()
