"""Starts processes in no time, and kills them with no warning: they are forks of one that has everything loaded.

    python -m framework.testing.replay.nursery UPBRINGING

stdin carries one Order a line, stdout one Answer for each. The end of stdin ends it, and so all that it has started.
"""

import ctypes
import importlib
import os
import signal
import sys
import traceback
from pathlib import Path

import msgspec

from framework.testing.replay.birth import Answer, Birth, Order, Upbringing
from framework.testing.replay.life import live
from framework.testing.simulation.scenario import Scenario

_PR_SET_PDEATHSIG = 1


class Nursery:
    """Has one thread, and its children none yet when they are made: so a fork is safe."""

    def __init__(self, upbringing: Upbringing) -> None:
        recipe = upbringing.recipe
        make = getattr(importlib.import_module(recipe.module), recipe.function)
        self._scenario: Scenario = make(Path(upbringing.folder), *recipe.arguments)
        self._upbringing = upbringing
        self._pids: dict[str, int] = {}

    def obey(self, order: Order) -> Answer:
        if order.start is not None:
            self._pids[order.start.process] = self._fork(order.start)
        elif (pid := self._pids.get(order.process)) is not None:
            self._send(order.process, pid, order.signal)
        return Answer(self._ended())

    def _fork(self, birth: Birth) -> int:
        nursery = os.getpid()
        pid = os.fork()
        if pid == 0:
            _be_a_child_of(nursery, birth.log)
            try:
                live(self._scenario, birth, self._upbringing)
            except BaseException:  # noqa: BLE001 - nothing may get past this: what is above belongs to the parent
                traceback.print_exc()
            finally:
                sys.stderr.flush()
                os._exit(1)
        return pid

    def _send(self, process: str, pid: int, number: int) -> None:
        # Not yet waited for, so the number cannot be someone else's.
        os.kill(pid, number)
        if number == signal.SIGKILL:
            os.waitpid(pid, 0)
            del self._pids[process]

    def _ended(self) -> list[str]:
        ended = [name for name, pid in self._pids.items() if os.waitpid(pid, os.WNOHANG) != (0, 0)]
        for name in ended:
            del self._pids[name]
        return ended


def _be_a_child_of(nursery: int, log: str) -> None:
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != nursery:
        os._exit(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    output = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(nothing, 0)
    os.dup2(output, 1)
    os.dup2(output, 2)


def main(text: str) -> None:
    nursery = Nursery(msgspec.json.decode(text, type=Upbringing))
    print("ready", flush=True)  # noqa: T201 - that is the protocol
    for line in sys.stdin.buffer:
        answer = nursery.obey(msgspec.json.decode(line, type=Order))
        print(msgspec.json.encode(answer).decode(), flush=True)  # noqa: T201 - as above


if __name__ == "__main__":
    main(sys.argv[1])
