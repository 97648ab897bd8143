"""One request in Kubernetes' words, and how it is spelt in a URL."""

import re
from collections.abc import Mapping
from urllib.parse import quote

import msgspec

from framework.client.transport import Timeouts
from framework.errors import TerminalError

# Nearly every name, and the start is no dot: needs no further look.
_PLAIN = re.compile(r"[A-Za-z0-9_:-][A-Za-z0-9._:-]*")
DEFAULT_TIMEOUTS = Timeouts()


class Call(msgspec.Struct, frozen=True):
    verb: str
    method: str
    path: str
    query: Mapping[str, str] = {}
    body: bytes | None = None
    content_type: str = "application/json"
    accept: str = "application/json"
    timeouts: Timeouts = DEFAULT_TIMEOUTS

    @property
    def is_read(self) -> bool:
        return self.method == "GET"

    @property
    def target(self) -> str:
        if not self.query:
            return self.path
        return f"{self.path}?{'&'.join(f'{name}={_quoted(value)}' for name, value in self.query.items())}"


def path_segment(text: str) -> str:
    """A name or namespace as a part of a path; TerminalError if it would lead to another object than the one named."""
    if not text or _PLAIN.fullmatch(text):
        return text
    if text in {".", ".."} or "/" in text or "%" in text:
        raise TerminalError(f"{text!r} cannot be the name of an object or a namespace")
    return quote(text, safe="")


def _quoted(value: str) -> str:
    # quote, not quote_plus: continue tokens and selectors need %20, not +.
    return value if _PLAIN.fullmatch(value) else quote(value, safe="")
