"""What the processes of a replay are told: data, because they share no memory with who asks for them."""

from collections.abc import Sequence
from datetime import datetime

import msgspec


class Recipe(msgspec.Struct, frozen=True):
    """How a process gets its Scenario: *function* of *module*, called with a folder and *arguments*."""

    module: str
    function: str
    arguments: Sequence[str] = ()


class Upbringing(msgspec.Struct, frozen=True):
    """What all processes of one scenario have in common."""

    recipe: Recipe
    folder: str
    speed: float
    epoch: datetime
    token: str


class Birth(msgspec.Struct, frozen=True):
    """One process, from its start to its end."""

    process: str
    # The relay in front of it.
    server: str
    log: str


class Order(msgspec.Struct, frozen=True):
    """To the nursery: start a process, or send *signal* to *process*; with neither it tells who has ended."""

    start: Birth | None = None
    process: str = ""
    signal: int = 0


class Answer(msgspec.Struct, frozen=True):
    # Since the last one, and not by SIGKILL.
    ended: Sequence[str] = ()
