"""What the servers themselves say they were asked: the audit logs of the real and the embedded ones."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

import msgspec

from framework.testing.control_plane.credentials import ADMIN

_PROBES = ("/version", "/api/v1/namespaces/kube-system", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
_READS = frozenset({"get", "list"})
_FIRST_NOT_OK = 300


class _Status(msgspec.Struct, frozen=True):
    code: int = 0


class _User(msgspec.Struct, frozen=True):
    username: str = ""


class Asked(msgspec.Struct, frozen=True, rename="camel"):
    """One line of an audit log."""

    verb: str
    stage: str
    request_uri: str = msgspec.field(name="requestURI")
    stage_timestamp: datetime
    response_status: _Status | None = None
    impersonated_user: _User | None = None

    @property
    def path(self) -> str:
        return self.request_uri.partition("?")[0]

    @property
    def is_done(self) -> bool:
        return self.response_status is not None and self.response_status.code < _FIRST_NOT_OK


class Counts(msgspec.Struct):
    """Requests by what they are for."""

    reads: int = 0
    writes: int = 0
    # Kubernetes Events, which may be lost without harm.
    events: int = 0
    # Begun; a server ends each after some minutes, whatever happens.
    watches: int = 0
    probes: int = 0
    leases: int = 0

    @property
    def work(self) -> int:
        """What a settled system has none of."""
        return self.reads + self.writes + self.events


class Record:
    """The log of one server. What the bench itself asks of a hub it asks under another name, and is left out."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._decoder = msgspec.json.Decoder(Asked)

    def mark(self) -> int:
        """Where the log ends now."""
        return self._file.stat().st_size if self._file.exists() else 0

    def since(self, mark: int) -> list[Asked]:
        if self.mark() <= mark:
            return []
        with self._file.open("rb") as log:
            log.seek(mark)
            whole, _, _ = log.read().rpartition(b"\n")
        asked = (self._decoder.decode(line) for line in whole.splitlines())
        return [each for each in asked if each.impersonated_user is None and not _is_end_of_watch(each)]


def count(asked: Iterable[Asked]) -> Counts:
    counts = Counts()
    for each in asked:
        name = _sort_of(each)
        setattr(counts, name, getattr(counts, name) + 1)
    return counts


def total(counts: Iterable[Counts]) -> Counts:
    rows = [msgspec.structs.astuple(each) for each in counts]
    return Counts(*map(sum, zip(*rows, strict=True))) if rows else Counts()


def audit_arguments(folder: Path) -> tuple[Sequence[str], Path]:
    """For a kube-apiserver in *folder*: how it is told to keep a log of what the administrator asks, and where."""
    folder.mkdir(parents=True, exist_ok=True)
    policy, log = folder / "policy.json", folder / "audit.log"
    document = {
        "apiVersion": "audit.k8s.io/v1",
        "kind": "Policy",
        "omitStages": ["RequestReceived"],
        "rules": [{"level": "Metadata", "users": [ADMIN]}, {"level": "None"}],
    }
    policy.write_bytes(msgspec.json.encode(document))
    arguments = (f"--audit-policy-file={policy}", f"--audit-log-path={log}", "--audit-log-maxsize=10000")
    return arguments, log


def _is_end_of_watch(asked: Asked) -> bool:
    return asked.verb == "watch" and asked.stage != "ResponseStarted"


def _sort_of(asked: Asked) -> str:
    if asked.verb == "watch":
        return "watches"
    if asked.path in _PROBES:
        return "probes"
    if "/leases/" in f"{asked.path}/":
        return "leases"
    if "/events/" in f"{asked.path}/":
        return "events"
    return "reads" if asked.verb in _READS else "writes"
