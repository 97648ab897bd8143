"""Counts which behaviours held on which server, for `make fidelity`."""

import json
from pathlib import Path
from typing import Any

import pytest

SERVERS = ("embedded", "real")
_BEHAVIOUR, _SERVER = "behaviour", "server"


def label(item: pytest.Item) -> None:
    """Write on *item* what it is about, in a way that reaches the process that counts."""
    names = [name for mark in item.iter_markers(_BEHAVIOUR) for name in mark.args]
    if not names:
        return
    callspec = getattr(item, "callspec", None)
    chosen = [value for value in (callspec.params.values() if callspec else ()) if value in SERVERS]
    item.user_properties.extend((_BEHAVIOUR, name) for name in names)
    # A case that is not made for both brings an embedded server of its own.
    item.user_properties.append((_SERVER, chosen[0] if chosen else "embedded"))


class FidelityReport:
    """Registered in the process that gathers the reports; with several workers that is not the one that runs cases."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._counts: dict[str, dict[str, dict[str, int]]] = {}
        self._cases: dict[str, set[str]] = {}

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when != "call" and not (report.when == "setup" and not report.passed):
            return
        properties: list[tuple[str, Any]] = report.user_properties
        server = next((value for name, value in properties if name == _SERVER), "")
        for name, behaviour in properties:
            if name == _BEHAVIOUR:
                servers = self._counts.setdefault(behaviour, {one: _nothing() for one in SERVERS})
                servers[server][report.outcome] += 1
                self._cases.setdefault(behaviour, set()).add(_without_server(report.nodeid))

    def pytest_sessionfinish(self) -> None:
        document = {
            name: {"cases": len(self._cases[name]), **servers} for name, servers in sorted(self._counts.items())
        }
        self._file.write_text(json.dumps(document, indent=2) + "\n")


def _nothing() -> dict[str, int]:
    return {"passed": 0, "failed": 0, "skipped": 0}


def _without_server(nodeid: str) -> str:
    for server in SERVERS:
        nodeid = nodeid.replace(f"[{server}]", "").replace(f"[{server}-", "[").replace(f"-{server}]", "]")
    return nodeid
