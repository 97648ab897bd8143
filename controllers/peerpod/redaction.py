"""What SDKs and servers say, without the credentials that they may repeat."""

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from urllib.parse import quote, quote_plus, urlsplit

from framework.log import REDACTED

_USER_INFO = re.compile(r"(?<=://)[^/\s@'\"<>]+@")
# Of a credential that is itself JSON: its e-mail address or token_uri are no secrets, and help to see what is wrong.
_SECRET_FIELD = re.compile(r"(private_key|secret|password|(?<!_)token$|_token$)", re.IGNORECASE)
# Shorter lines of a key are its frame, or say nothing.
_SHORTEST_LINE = 16


def redacted(text: str, settings: Mapping[str, str], secret_keys: Iterable[str]) -> str:
    """*text* in one line, without the values of *secret_keys* and passwords of URIs, however they are spelled."""
    values = [*(settings.get(key, "") for key in secret_keys), *map(password_in, settings.values())]
    secrets = {spelling for value in values for secret in _parts(value) for spelling in _spellings(secret)}
    # The longest first: a secret may be part of another.
    for secret in sorted(secrets, key=lambda secret: (-len(secret), secret)):
        text = text.replace(secret, REDACTED)
    return " ".join(_USER_INFO.sub(f"{REDACTED}@", text).split())


def password_in(value: str) -> str:
    """The password in a URI; empty if there is none."""
    if "://" not in value:
        return ""
    try:
        return urlsplit(value).password or ""
    except ValueError:
        # No URI that anybody could use, and nobody knows what it holds.
        return value


def without_user_info(uri: str) -> str:
    return _USER_INFO.sub("", uri)


def _parts(value: str) -> Iterator[str]:
    yield value
    yield value.strip()
    for line in value.splitlines():
        if len(line.strip()) >= _SHORTEST_LINE:
            yield line.strip()
    try:
        document = json.loads(value)
    except ValueError:
        return
    if isinstance(document, dict):
        for field, inner in document.items():
            if isinstance(inner, str) and _SECRET_FIELD.search(field):
                yield from _parts(inner)


def _spellings(secret: str) -> Iterator[str]:
    if not secret:
        return
    yield secret
    yield quote(secret, safe="")
    yield quote_plus(secret)
    # As it stands inside a JSON string, and in a repr.
    yield json.dumps(secret)[1:-1]
    yield repr(secret)[1:-1]
    yield base64.b64encode(secret.encode()).decode()
