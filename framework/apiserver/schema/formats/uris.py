"""What may stand in the request line of HTTP: an absolute URI or an absolute path, as Go's net/url parses it."""

import re

_SCHEME = re.compile("[a-zA-Z][a-zA-Z0-9+.-]*:")
_is_escaped = re.compile("(?:[^%]|%[0-9a-fA-F]{2})*", re.DOTALL).fullmatch
_is_host = re.compile(r"[^\x00-\x20\x7f\"<>\\^`{}|/?#%@]*", re.DOTALL).fullmatch
_is_user = re.compile(r"[A-Za-z0-9\-._:~!$&'()*+,;=%@]*").fullmatch
_is_port = re.compile("(:[0-9]*)?").fullmatch
_has_control = re.compile(r"[\x00-\x1f\x7f]").search


def is_request_uri(text: str) -> bool:
    if not text or _has_control(text):
        return False
    if text == "*":
        return True
    scheme = _SCHEME.match(text)
    if scheme is None and text[0] == ":":
        return False
    rest = (text[scheme.end() :] if scheme else text).partition("?")[0]
    if not rest.startswith("/"):
        # An opaque URI such as mailto:a@b is fine with a scheme, a relative path is not.
        return scheme is not None
    if rest.startswith("//") and (scheme is not None or not rest.startswith("///")):
        authority, slash, path = rest[2:].partition("/")
        return _is_authority(authority) and _is_escaped(slash + path) is not None
    return _is_escaped(rest) is not None


def _is_authority(authority: str) -> bool:
    user, at, host = authority.rpartition("@")
    if at and (_is_user(user) is None or _is_escaped(user) is None):
        return False
    if host.startswith("["):
        address, bracket, port = host.partition("]")
        return bool(bracket) and _is_port(port) is not None and _is_escaped(address) is not None
    name, colon, port = host.rpartition(":")
    if colon and _is_port(colon + port) is None:
        return False
    return _is_host(name if colon else host) is not None
