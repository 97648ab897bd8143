"""URLs, read as Go's net/url reads them."""

import re
from urllib.parse import parse_qs, quote, unquote

from framework.apiserver.cel.declarations import function, member
from framework.apiserver.cel.errors import CelError
from framework.apiserver.cel.values import Opaque

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):(.*)", re.DOTALL)
_BAD_ESCAPE = re.compile(r"%(?![0-9A-Fa-f]{2}).{0,2}")
_PORT = re.compile(r"(?::[0-9]*)?")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_HOST_CHARACTERS = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:\[\]<>\"%\x80-\U0010ffff]*")
_PATH_CHARACTERS = re.compile(r"[A-Za-z0-9\-._~!$&'()*+,;=:@/\[\]%]*")
_UNESCAPED_IN_PATH = "-._~$&+,/:;=@"


class URL(Opaque):
    __slots__ = ("_text", "host", "path", "query", "scheme")
    type_name = "kubernetes.URL"

    def __init__(self, text: str) -> None:
        self._text = text
        rest = text.partition("#")[0]
        self.scheme, rest = _split_scheme(rest)
        rest, _, self.query = rest.partition("?")
        self.host = ""
        if rest.startswith("//"):
            authority, slash, path = rest[2:].partition("/")
            self.host = authority.rpartition("@")[2]
            rest = slash + path
        self.path = rest

    def __eq__(self, other: object) -> bool:
        return isinstance(other, URL) and self._text == other._text

    def __hash__(self) -> int:
        return hash(self._text)

    def __str__(self) -> str:
        return self._text

    @property
    def hostname(self) -> str:
        if self.host.startswith("["):
            return self.host[1:].partition("]")[0]
        return self.host.partition(":")[0]

    @property
    def port(self) -> str:
        return self.host.rpartition("]")[2].partition(":")[2]

    @property
    def escaped_path(self) -> str:
        """The path as it was written if that is a valid encoding, else encoded anew."""
        if _PATH_CHARACTERS.fullmatch(self.path):
            return self.path
        return quote(unquote(self.path), safe=_UNESCAPED_IN_PATH)


def parse_request_uri(text: str) -> URL:
    """CelError with Go's words unless *text* is an absolute URL or an absolute path."""
    reason = _what_is_wrong(text)
    if reason:
        raise CelError(f'parse "{text}": {reason}')
    return URL(text)


def _what_is_wrong(text: str) -> str:
    if _CONTROL.search(text):
        return "net/url: invalid control character in URL"
    if not text:
        return "empty url"
    if text.startswith(":"):
        return "missing protocol scheme"
    scheme, rest = _split_scheme(text)
    rest = rest.partition("?")[0]
    if not rest.startswith("/"):
        return "" if scheme else "invalid URI for request"
    authority = rest[2:].partition("/")[0] if scheme and rest.startswith("//") else ""
    path = rest[2 + len(authority) :] if scheme and rest.startswith("//") else rest
    bad = _BAD_ESCAPE.search(path) or _BAD_ESCAPE.search(authority)
    if bad:
        return f'invalid URL escape "{bad[0]}"'
    return _wrong_host(authority.rpartition("@")[2])


def _wrong_host(host: str) -> str:
    if host.startswith("["):
        if "]" not in host:
            return "missing ']' in host"
        port = host.rpartition("]")[2]
    else:
        name, colon, number = host.rpartition(":")
        port = f":{number}" if colon and name is not None else ""
    if not _PORT.fullmatch(port):
        return f'invalid port "{port}" after host'
    wrong = next((each for each in host if not _HOST_CHARACTERS.fullmatch(each)), "")
    return f'invalid character "{wrong}" in host name' if wrong else ""


def _split_scheme(text: str) -> tuple[str, str]:
    found = _SCHEME.fullmatch(text)
    return (found[1].lower(), found[2]) if found else ("", text)


def _url(text: str) -> URL:
    try:
        return parse_request_uri(text)
    except CelError as error:
        raise CelError(f"URL parse error during conversion from string: {error}") from None


def _is_url(text: str) -> bool:
    return not _what_is_wrong(text)


OVERLOADS = (
    function("url(string) -> URL", _url),
    function("isURL(string) -> bool", _is_url),
    member("URL.getScheme() -> string", lambda url: url.scheme),
    member("URL.getHost() -> string", lambda url: url.host),
    member("URL.getHostname() -> string", lambda url: url.hostname),
    member("URL.getPort() -> string", lambda url: url.port),
    member("URL.getEscapedPath() -> string", lambda url: url.escaped_path),
    member(
        "URL.getQuery() -> map(string, list(string))",
        lambda url: parse_qs(url.query, keep_blank_values=True) if url.query else {},
    ),
)
