"""The termination message: one JSON document, in the 4096 bytes that a kubelet keeps."""

from pathlib import Path

import msgspec

from controllers.workerbuild.bad_input import FailedScript, Termination

_MOST_BYTES = 4096
# Tried in this order until the document fits.
_MESSAGE_LENGTHS = (1000, 400, 150, 60)


def termination_message(termination: Termination) -> bytes:
    """Shorten the messages, and if that is not enough leave the last scripts out, until it fits."""
    for length in _MESSAGE_LENGTHS:
        text = _encode(_shortened(termination, length))
        if len(text) <= _MOST_BYTES:
            return text
    shortened = _shortened(termination, _MESSAGE_LENGTHS[-1])
    kept = list(shortened.failed_scripts)
    while len(text) > _MOST_BYTES and kept:
        kept.pop()
        left_out = len(termination.failed_scripts) - len(kept)
        text = _encode(msgspec.structs.replace(shortened, failed_scripts=kept, more_failed=left_out))
    return text


def write_termination(path: Path | None, termination: Termination) -> None:
    """Into the file that a kubelet put there; elsewhere than in a pod there is none, and nobody to read it."""
    if path is not None and path.exists():
        path.write_bytes(termination_message(termination))


def one_line(text: str) -> str:
    """Without control characters: what workerd says may quote the script."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _shortened(termination: Termination, length: int) -> Termination:
    scripts = tuple(
        FailedScript(script_name=script.script_name, message=_cut(script.message, length))
        for script in termination.failed_scripts
    )
    return msgspec.structs.replace(termination, message=_cut(termination.message, length), failed_scripts=scripts)


def _cut(text: str, length: int) -> str:
    line = one_line(text)
    return line if len(line) <= length else f"{line[: length - 1]}…"


def _encode(termination: Termination) -> bytes:
    return msgspec.json.encode(termination)
