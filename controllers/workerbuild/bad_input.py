"""Input that no retry makes better."""

from collections.abc import Sequence

import msgspec

from apis.meta import ApiStruct
from framework.errors import WindlassError

EXIT_BAD_INPUT = 42


class FailedScript(ApiStruct, frozen=True, kw_only=True):
    script_name: str
    message: str


class BadInput(WindlassError):
    """*reason* is one word for programs; *failed_scripts* are those at fault, if it is scripts."""

    def __init__(self, reason: str, message: str, failed_scripts: Sequence[FailedScript] = ()) -> None:
        super().__init__(message)
        self.reason = reason
        self.failed_scripts = tuple(failed_scripts)


class ScriptError(Exception):
    """One script is at fault; who knows its name makes it a BadInput."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class ScriptErrors:
    """Collects what is wrong with each script, so that one build names them all."""

    def __init__(self) -> None:
        self._found: list[tuple[str, FailedScript]] = []

    def add(self, script_name: str, error: ScriptError) -> None:
        self._found.append((error.reason, FailedScript(script_name=script_name, message=str(error))))

    def check(self) -> None:
        if not self._found:
            return
        reason, first = self._found[0]
        more = f", and {len(self._found) - 1} more" if len(self._found) > 1 else ""
        message = f"script {first.script_name}: {first.message}{more}"
        raise BadInput(reason, message, [script for _, script in self._found])


class Termination(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """What a container says at its end, for the controller."""

    ok: bool
    reason: str = ""
    message: str = ""
    failed_scripts: Sequence[FailedScript] = ()
    # How many more failed than there was room for.
    more_failed: int = 0
    image: str = ""
    digest: str = ""
