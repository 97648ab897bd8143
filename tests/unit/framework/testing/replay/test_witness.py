"""The witness, on a client that brings what the test says."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

import msgspec
import pytest

from apis.meta import GroupVersionKind, Key, ListMeta, ResourceType
from framework.client import Cancellation, Client
from framework.client.codec import ObjectList
from framework.errors import TransportError
from framework.testing.control_plane.waiting import wait_until
from framework.testing.replay.witness import LostTrack, Witness

MAPS = ResourceType(GroupVersionKind("", "v1", "ConfigMap"), "configmaps")
LIMIT_SECONDS = 10.0


def obj(name: str, version: int) -> dict[str, Any]:
    return {"metadata": {"name": name, "namespace": "default", "resourceVersion": str(version)}}


def event(kind: str, name: str, version: int) -> bytes:
    return msgspec.json.encode({"type": kind, "object": obj(name, version)}) + b"\n"


class Server:
    """Has one object from the start; each watch brings the next of *streams*, and then breaks."""

    def __init__(self, *streams: Sequence[bytes]) -> None:
        self._streams = list(streams)
        self.versions: list[str] = []

    def list_page(self, _kind: object, _namespace: str, _query: object) -> ObjectList:
        return ObjectList(ListMeta(resource_version="5"), [msgspec.Raw(msgspec.json.encode(obj("old", 3)))])

    def watch(
        self,
        _kind: object,
        _namespace: str,
        query: Mapping[str, str],
        *,
        on_chunk: Callable[[bytes], None],
        cancellation: Cancellation,
        timeouts: object,  # noqa: ARG002 - part of what it stands for
    ) -> None:
        self.versions.append(query["resourceVersion"])
        for chunk in (b"", *(self._streams.pop(0) if self._streams else ())):
            on_chunk(chunk)
        if self._streams or not cancellation.is_requested:
            raise TransportError("broken")


def commits_of(server: Server, expected: int) -> list[tuple[str, str, int]]:
    with Witness(cast("Client", server), [MAPS]) as witness:
        wait_until(lambda: len(witness.journal.commits) >= expected, limit_seconds=LIMIT_SECONDS)
        witness.check()
    return [(commit.act, commit.key.name, commit.revision) for commit in witness.journal.commits]


def test_every_change_is_written_down() -> None:
    stream = [event("ADDED", "a", 6), event("MODIFIED", "a", 7), event("MODIFIED", "old", 8), event("DELETED", "a", 9)]

    assert commits_of(Server(stream), 4) == [
        ("create", "a", 6),
        ("update", "a", 7),
        ("update", "old", 8),
        ("delete", "a", 9),
    ]


def test_an_event_in_pieces_is_one_event() -> None:
    line = event("ADDED", "a", 6)

    assert commits_of(Server([line[:10], line[10:20], line[20:]]), 1) == [("create", "a", 6)]


def test_it_goes_on_where_it_was_and_forgets_half_an_event() -> None:
    server = Server(
        [event("ADDED", "a", 6), event("BOOKMARK", "", 8), event("ADDED", "b", 9)[:10]], [event("ADDED", "b", 9)]
    )

    assert commits_of(server, 2) == [("create", "a", 6), ("create", "b", 9)]
    assert server.versions[:2] == ["5", "8"]


def test_who_has_lost_track_says_so() -> None:
    status = {"kind": "Status", "code": 410, "reason": "Expired"}
    server = Server([msgspec.json.encode({"type": "ERROR", "object": status}) + b"\n"])

    with Witness(cast("Client", server), [MAPS]) as witness:
        assert wait_until(lambda: _has_lost_track(witness), limit_seconds=LIMIT_SECONDS)

    with pytest.raises(LostTrack, match="Expired"):
        witness.check()


def test_an_object_is_overtaken_by_a_later_version_of_it_only() -> None:
    with Witness(cast("Client", Server([event("ADDED", "a", 6)])), [MAPS]) as witness:
        assert wait_until(
            lambda: witness.is_overtaken("configmaps", Key("default", "a"), 5), limit_seconds=LIMIT_SECONDS
        )

    assert not witness.is_overtaken("configmaps", Key("default", "a"), 6)
    assert not witness.is_overtaken("configmaps", Key("default", "b"), 5)
    assert not witness.is_overtaken("secrets", Key("default", "a"), 5)


def _has_lost_track(witness: Witness) -> bool:
    try:
        witness.check()
    except LostTrack:
        return True
    return False
