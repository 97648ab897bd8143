"""The plans of the simulation, carried out on real processes and a real Kubernetes API server.

Guarantees: every process of a scenario is a process of the operating system with a real Manager, and a crash is a
kill -9; nothing that a plan asks for is left out in silence: what cannot be done is refused by name, and a fault that
found no request is told; the verdict is made by the oracles of the simulation, from what a witness on a connection of
its own has seen, compared with runs without faults on the same server.
Not guaranteed: the same interleaving twice. Time is real, if faster for the processes, and the order of threads is the
machine's.
"""

from framework.testing.replay.birth import Recipe
from framework.testing.replay.replay import CONTROLLERS, SPEED, Replay, missed
from framework.testing.replay.replayable import REPLAYABLE, NotReplayable, class_of, obstacle_to

__all__ = [
    "CONTROLLERS",
    "REPLAYABLE",
    "SPEED",
    "NotReplayable",
    "Recipe",
    "Replay",
    "class_of",
    "missed",
    "obstacle_to",
]
