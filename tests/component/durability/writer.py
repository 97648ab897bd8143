"""Creates, updates, patches and deletes its own objects until the server goes away."""

from collections.abc import Sequence
from http.client import HTTPException
from random import Random  # noqa: TID251 - a seed repeats the choices

from framework.runtime import Event, Runtime, Task
from tests.component.durability.durable_server import MERGE, Answered, Wire
from tests.component.durability.ledger import Entry, Ledger, State, document

_OK, _CREATED = 200, 201


class Writer:
    def __init__(self, entries: Sequence[Entry], ledger: Ledger, random: Random, runtime: Runtime) -> None:
        self.entries = entries
        self._ledger = ledger
        self._random = random
        self._runtime = runtime
        self._enough = runtime.event()
        self._task: Task | None = None
        self._last_content = 0
        self.problem: BaseException | None = None

    def start(self, wire: Wire) -> None:
        self._enough.clear()
        self._task = self._runtime.spawn("writer", lambda: self._run(wire, self._enough))

    def finish(self) -> None:
        """Let the write that is under way be the last."""
        self._enough.set()
        self.join()

    def write_once(self, wire: Wire) -> None:
        self._write(wire, self._random.choice(self.entries))

    def join(self) -> None:
        if self._task is not None:
            self._task.join()
        if self.problem is not None:
            raise self.problem

    def _run(self, wire: Wire, enough: Event) -> None:
        try:
            while not enough.is_set():
                self._write(wire, self._random.choice(self.entries))
        except (OSError, HTTPException):
            # The server is gone; whether the last write was made is for the ledger to find out.
            return
        except BaseException as problem:  # noqa: BLE001 - raised where the test can see it
            self.problem = problem
        finally:
            wire.close()

    def _write(self, wire: Wire, entry: Entry) -> None:
        if entry.state is None:
            self._create(wire, entry)
        elif self._random.random() < 0.2:
            self._finish(entry, None, wire, "DELETE", self._path(entry))
        elif entry.kind.has_status and self._random.random() < 0.4:
            wanted = State(entry.state.content, self._next())
            patch = {"status": {"number": wanted.status}}
            self._finish(entry, wanted, wire, "PATCH", self._path(entry) + "/status", patch, MERGE)
        else:
            self._change(wire, entry, entry.state)

    def _create(self, wire: Wire, entry: Entry) -> None:
        wanted = State(self._next())
        self._finish(entry, wanted, wire, "POST", entry.kind.path, document(entry.kind, entry.name, wanted))

    def _change(self, wire: Wire, entry: Entry, old: State) -> None:
        wanted = State(self._next(), old.status)
        body = document(entry.kind, entry.name, wanted)
        if self._random.random() < 0.5:
            self._finish(entry, wanted, wire, "PATCH", self._path(entry), body, MERGE)
        else:
            body["metadata"]["resourceVersion"] = str(entry.revision)
            self._finish(entry, wanted, wire, "PUT", self._path(entry), body)

    def _finish(self, entry: Entry, wanted: State | None, wire: Wire, *request: object) -> None:
        entry.sent = (wanted,)
        answer = wire.send(*request)  # type: ignore[arg-type]  # passed on as it came
        revision = self._acknowledged(answer, wanted)
        self._ledger.note_answer(entry, revision)
        entry.settle(wanted, revision or 0)

    def _acknowledged(self, answer: Answered, wanted: State | None) -> int | None:
        assert answer.code in {_OK, _CREATED}, answer
        return None if wanted is None else int(answer.content["metadata"]["resourceVersion"])

    def _next(self) -> int:
        self._last_content += 1
        return self._last_content

    @staticmethod
    def _path(entry: Entry) -> str:
        return f"{entry.kind.path}/{entry.name}"
