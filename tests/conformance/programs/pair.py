"""Runs programs on two servers at once, and tells the first difference."""

import difflib
import itertools
import json
import uuid
from contextlib import ExitStack
from typing import Any

import msgspec

from tests.conformance.programs.side import EventReader, Server, Side
from tests.conformance.programs.step import Program
from tests.conformance.programs.subjects import SUBJECTS, Subject

_CREATED = 201


class Difference(AssertionError):
    """The servers do not agree; *where* is a step, or what was looked at in the end."""

    def __init__(self, program: Program, where: str, embedded: Any, real: Any) -> None:
        self.program = program
        self.where = where
        self.lines = _diff(embedded, real)
        super().__init__(f"{where}\n{program}\n" + "\n".join(self.lines))


class Pair:
    """The embedded server and the real one. One program runs at a time."""

    def __init__(self, embedded: Server, real: Server) -> None:
        self._servers = (embedded, real)
        # Watches of all objects of a kind, which stay open from program to program.
        self._live: dict[str, tuple[EventReader, EventReader]] = {}
        self._open = ExitStack()
        self._names = (f"p{uuid.uuid4().hex[:6]}-{number}" for number in itertools.count())

    def run(self, program: Program) -> None:
        """Raise Difference if the servers do not agree about *program*."""
        subject = SUBJECTS[program.kind]
        namespace = next(self._names)
        live = self._watch(program.kind, subject)
        starts = [_begin(server, subject, namespace) for server in self._servers]
        sides = [Side(server, subject, namespace, start) for server, start in zip(self._servers, starts, strict=True)]
        try:
            self._take_steps(program, sides)
            self._compare_ends(program, sides, live, starts)
        except BaseException:
            # Whatever was not read of this program must not be taken for the next one's.
            self.close()
            raise
        finally:
            for side in sides:
                side.close()
                if not subject.is_namespaced:
                    side.remove_all()

    def close(self) -> None:
        self._live.clear()
        self._open.close()

    def _take_steps(self, program: Program, sides: list[Side]) -> None:
        for number, step in enumerate(program.steps):
            embedded, real = (side.take(step, number) for side in sides)
            if embedded != real:
                shown = msgspec.json.encode(step).decode()
                raise Difference(program, f"step {number}: {shown}", embedded, real)

    def _compare_ends(
        self, program: Program, sides: list[Side], live: tuple[EventReader, EventReader], starts: list[str]
    ) -> None:
        _compare(program, "end state", *(side.end_state() for side in sides))
        for side in sides:
            side.write_markers()
        shown = [side.events(watch, int(start)) for side, watch, start in zip(sides, live, starts, strict=True)]
        _compare(program, "events", *shown)
        _compare(program, "watches", *(side.watched() for side in sides))

    def _watch(self, kind: str, subject: Subject) -> tuple[EventReader, EventReader]:
        if kind not in self._live:
            embedded, real = (self._begin_watch(server, subject.path("")) for server in self._servers)
            self._live[kind] = embedded, real
        return self._live[kind]

    def _begin_watch(self, server: Server, path: str) -> EventReader:
        version = server.request("GET", path).document["metadata"]["resourceVersion"]
        return self._open.enter_context(server.watch(path, {"resourceVersion": version, "timeoutSeconds": 3600}))


def _begin(server: Server, subject: Subject, namespace: str) -> str:
    """Make room for a program; the version at which it begins."""
    if not subject.is_namespaced:
        return str(server.request("GET", subject.path("")).document["metadata"]["resourceVersion"])
    reply = server.request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}})
    assert reply.status == _CREATED, reply.body
    return str(reply.document["metadata"]["resourceVersion"])


def _compare(program: Program, where: str, embedded: Any, real: Any) -> None:
    if embedded != real:
        raise Difference(program, where, embedded, real)


def _diff(embedded: Any, real: Any) -> list[str]:
    return list(difflib.unified_diff(_lines(embedded), _lines(real), "embedded", "real", lineterm="", n=4))


def _lines(value: Any) -> list[str]:
    return json.dumps(msgspec.to_builtins(value), indent=1, sort_keys=True).splitlines()
