"""Where a script is: `s3://bucket/key`, or a key alone, which is in the default bucket."""

import re

import msgspec

from framework.errors import WindlassError

_SCHEME = "s3://"
_OTHER_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")
_LONGEST_KEY_BYTES = 1024


class InvalidScriptUrl(WindlassError):
    """The text says what is wrong with it."""


class ScriptUrl(msgspec.Struct, frozen=True):
    bucket: str
    # Without a slash at either end.
    key: str

    @property
    def prefix(self) -> str:
        """Of everything below it; the slash keeps siblings whose names begin alike out."""
        return f"{self.key}/"

    def __str__(self) -> str:
        return f"{_SCHEME}{self.bucket}/{self.key}"


def parse_script_url(text: str, default_bucket: str) -> ScriptUrl:
    """Raise InvalidScriptUrl; whether the bucket may be read is not asked here."""
    if text.startswith(_SCHEME):
        bucket, _, key = text.removeprefix(_SCHEME).partition("/")
    elif _OTHER_SCHEME.match(text):
        raise InvalidScriptUrl(f"{text!r} is neither s3://BUCKET/KEY nor a key")
    else:
        bucket, key = default_bucket, text
    key = key.strip("/")
    if not _BUCKET.fullmatch(bucket):
        raise InvalidScriptUrl(f"{text!r} names {bucket!r}, which is not a bucket")
    _check_key(text, key)
    return ScriptUrl(bucket, key)


def _check_key(text: str, key: str) -> None:
    if not key:
        raise InvalidScriptUrl(f"{text!r} has no key: a whole bucket is not a script")
    if any(segment in {"", ".", ".."} for segment in key.split("/")):
        raise InvalidScriptUrl(f"{text!r} has an empty part, `.` or `..` in it")
    if not key.isprintable() or len(key.encode()) > _LONGEST_KEY_BYTES:
        raise InvalidScriptUrl(f"{text!r} is not a key: control characters, or more than {_LONGEST_KEY_BYTES} bytes")
