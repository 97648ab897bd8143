"""What happens to a database that is damaged, full, in use, too new or out of reach."""

import os
import resource
import sqlite3
import subprocess
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.component.durability.durable_server import MERGE, Answered, DurableServer, Wire, server_command

_CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
_OURS = "config-"
_LIMIT_SECONDS = 60
# As root all files can be written to, whatever their mode says; without these capabilities they cannot.
_CAP_DAC_OVERRIDE, _CAP_DAC_READ_SEARCH, _PR_CAPBSET_DROP = 1, 2, 24
_AS_ANYBODY = f"""
import ctypes, os, sys
for capability in ({_CAP_DAC_OVERRIDE}, {_CAP_DAC_READ_SEARCH}):
    ctypes.CDLL(None).prctl({_PR_CAPBSET_DROP}, capability, 0, 0, 0)
os.execv(sys.argv[1], sys.argv[1:])
"""


def write(wire: Wire, name: str) -> Answered:
    return wire.send("POST", _CONFIG_MAPS, {"metadata": {"name": name}, "data": {"filler": name * 400}})


def names(server: DurableServer) -> list[str]:
    with closing(server.wire()) as wire:
        items = wire.send("GET", _CONFIG_MAPS).content["items"]
    found = {item["metadata"]["name"]: item["data"] for item in items if item["metadata"]["name"].startswith(_OURS)}
    assert all(data == {"filler": name * 400} for name, data in found.items()), "half a write"
    return list(found)


def refusal(command: Sequence[str]) -> str:
    """The one line that a server says which does not start."""
    ended = subprocess.run(command, capture_output=True, text=True, timeout=_LIMIT_SECONDS, check=False)
    assert (ended.returncode, ended.stdout) == (1, ""), ended
    (line,) = ended.stderr.splitlines()
    return line


def kill_after_writes(server: DurableServer, count: int) -> list[str]:
    written = [f"{_OURS}{number:02}" for number in range(count)]
    with closing(server.wire()) as wire:
        for name in written:
            assert write(wire, name).code == 201
    server.kill()
    return written


@pytest.mark.parametrize("garbage", [b"\0" * 5000, os.urandom(5000), b"x"], ids=["zeros", "noise", "one byte"])
def test_garbage_behind_the_last_write_is_ignored(server: DurableServer, garbage: bytes) -> None:
    written = kill_after_writes(server, 5)
    with server.write_ahead_log.open("ab") as log:
        log.write(garbage)

    server.start()

    assert names(server) == written


def test_a_write_that_reached_the_disk_by_half_is_not_there_and_all_before_it_are(server: DurableServer) -> None:
    written = kill_after_writes(server, 5)
    size = server.write_ahead_log.stat().st_size
    os.truncate(server.write_ahead_log, size - 3000)

    server.start()

    assert names(server) == written[:-1]


def test_a_write_to_a_full_disk_is_answered_with_500_and_changes_nothing(
    server: DurableServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Half of a compiled module would be all that a full disk takes, and break whoever loads it later.
    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    server.kill()
    server.start()
    with closing(server.wire()) as wire:
        before = write(wire, "config-before")
        _, most = resource.prlimit(server.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (server.write_ahead_log.stat().st_size, most))

        refused = [write(wire, "config-during"), wire.send("DELETE", f"{_CONFIG_MAPS}/config-before")]

        assert [(answer.code, answer.content["reason"]) for answer in refused] == [(500, "InternalError")] * 2
        assert "cannot write to" in refused[0].content["message"]
        assert wire.send("GET", f"{_CONFIG_MAPS}/config-before").content == before.content
        assert names(server) == ["config-before"]
        resource.prlimit(server.pid, resource.RLIMIT_FSIZE, (most, most))
        assert write(wire, "config-during").code == 201
    server.kill()
    server.start()
    assert names(server) == ["config-before", "config-during"]


def test_a_second_server_on_the_folder_is_refused_and_the_first_goes_on(server: DurableServer) -> None:
    before = (server.folder / "kubeconfig").read_bytes()

    line = refusal(server_command(server.folder))

    assert "another server is running on it" in line
    assert (server.folder / "kubeconfig").read_bytes() == before
    with closing(server.wire()) as wire:
        assert write(wire, "config-one").code == 201


def test_a_database_of_a_newer_format_is_refused_and_left_alone(server: DurableServer) -> None:
    server.stop()
    with sqlite3.connect(server.database) as database:
        database.execute("PRAGMA user_version=99")
    database.close()
    before = server.database.read_bytes()

    line = refusal(server_command(server.folder))

    assert "its format is 99" in line
    assert server.database.read_bytes() == before


def test_a_folder_that_cannot_be_written_to_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "read-only"
    folder.mkdir(mode=0o500)

    line = refusal((sys.executable, "-c", _AS_ANYBODY, *server_command(folder)))

    assert f"cannot use the folder {folder}" in line


def test_a_database_that_cannot_be_written_to_is_refused(server: DurableServer) -> None:
    server.stop()
    server.database.chmod(0o400)
    server.folder.chmod(0o500)

    line = refusal((sys.executable, "-c", _AS_ANYBODY, *server_command(server.folder)))

    server.folder.chmod(0o700)
    assert f"cannot use {server.database}" in line


def test_the_write_ahead_log_does_not_grow_for_ever(server: DurableServer) -> None:
    with closing(server.wire()) as wire:
        assert write(wire, "config-one").code == 201

        for number in range(1_000):
            patch = {"data": {"filler": "one" * 400, "number": str(number)}}
            assert wire.send("PATCH", f"{_CONFIG_MAPS}/config-one", patch, MERGE).code == 200

    # A checkpoint is due after a thousand pages of 4 KiB; these writes have taken two or three each.
    assert server.write_ahead_log.stat().st_size < 6 * 1024 * 1024
