"""Who says it."""

import re

import msgspec

from framework.events.text import LONGEST_WORD, shortened

_LONGEST_CONTROLLER = 63
_NOT_IN_A_NAME = re.compile(r"[^A-Za-z0-9_.-]+")


class Reporter(msgspec.Struct, frozen=True):
    controller: str
    instance: str

    @classmethod
    def of(cls, controller: str, instance: str) -> "Reporter":
        name = shortened(_NOT_IN_A_NAME.sub("-", controller), _LONGEST_CONTROLLER).strip("-_.")
        return cls(f"windlass/{name}", shortened(f"{controller}-{instance or 'windlass'}", LONGEST_WORD))
