"""What a secret of a script may be called, and how long it may be."""

import re

from controllers.cfapi import failure

_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,127}")
_LONGEST_VALUE_BYTES = 64 * 1024


def check_secret_name(name: str) -> None:
    if not _NAME.fullmatch(name):
        raise failure.rejected(
            f"{name[:200]!r} is no name of a secret: letters, digits and `_`, at most 128, no digit first"
        )


def check_secret(name: str, value: str) -> None:
    check_secret_name(name)
    if len(value.encode("utf-8", "surrogatepass")) > _LONGEST_VALUE_BYTES:
        message = f"secret {name} has more than {_LONGEST_VALUE_BYTES} bytes"
        raise failure.CfError(400, failure.BAD_SECRET, message)
    if "\0" in value:
        raise failure.CfError(400, failure.BAD_SECRET, f"secret {name} has a NUL in it, which no variable can hold")
