"""What a controller has seen, before it becomes a condition."""

from typing import Literal

import msgspec


class Observation(msgspec.Struct, frozen=True):
    type: str
    status: Literal["True", "False", "Unknown"]
    reason: str
    message: str = ""
