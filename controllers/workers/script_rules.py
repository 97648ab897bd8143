"""What a script must be like to be built, and its one spelling."""

import re
from collections.abc import Sequence
from datetime import date, datetime

import msgspec

from apis.cfworker.script import Binding
from apis.meta import ApiStruct
from controllers.scriptstorage.url import InvalidScriptUrl, parse_script_url

ACCOUNT_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
SCRIPT_NAME = re.compile(r"[a-z0-9]([a-z0-9_-]{0,61}[a-z0-9])?")
_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_README_DATE = re.compile(r"(\d{2})/(\d{2})/(\d{4})")


class InvalidInput(Exception):
    """*reason* is that of a condition, the text its message."""

    def __init__(self, reason: str, message: str) -> None:
        super().__init__(message)
        self.reason = reason


class ScriptRules(msgspec.Struct, frozen=True, kw_only=True):
    """What an installation allows."""

    default_compatibility_date: str = "2023-02-28"
    bucket: str = ""
    allowed_buckets: tuple[str, ...] = ()

    def check_urls(self, urls: Sequence[str]) -> None:
        if not urls:
            raise InvalidInput("InvalidScriptUrl", "scriptUrls is empty; name at least one URL")
        for url in urls:
            self._check_url(url)

    def _check_url(self, url: str) -> None:
        # Without a bucket of its own an installation leaves it to the build which one a bare key is in.
        default = self.bucket or "default-bucket"
        try:
            bucket = parse_script_url(url, default).bucket
        except InvalidScriptUrl as error:
            raise InvalidInput("InvalidScriptUrl", str(error)) from None
        if self.bucket and bucket not in {self.bucket, *self.allowed_buckets}:
            raise InvalidInput("InvalidScriptUrl", f"{url!r} is in bucket {bucket!r}, which scripts may not come from")

    def compatibility_date(self, text: str, today: date) -> str:
        """YYYY-MM-DD."""
        given = text or self.default_compatibility_date
        found = _date_of(given)
        if found is None:
            message = f"compatibilityDate {given!r} is no date; write YYYY-MM-DD"
            raise InvalidInput("InvalidCompatibilityDate", message)
        if found > today:
            raise InvalidInput("InvalidCompatibilityDate", f"compatibilityDate {found} is in the future")
        return found.isoformat()


class NormalScript(ApiStruct, frozen=True, kw_only=True):
    """A script in its one spelling: equal scripts are equal, and have equal hashes."""

    script_name: str
    secret_ref: str = ""
    compatibility_date: str
    script_urls: list[str]
    compatibility_flags: list[str] = msgspec.field(default_factory=list)
    main_module: str = ""
    bindings: list[Binding] = msgspec.field(default_factory=list)
    version_id: str = ""


def normalised(script: NormalScript, rules: ScriptRules, now: datetime) -> NormalScript:
    """Raise InvalidInput with the reason of the condition."""
    check_script_name(script.script_name)
    rules.check_urls(script.script_urls)
    return msgspec.structs.replace(
        script,
        compatibility_date=rules.compatibility_date(script.compatibility_date, now.date()),
        compatibility_flags=sorted(set(script.compatibility_flags)),
    )


def check_script_name(name: str) -> None:
    if not SCRIPT_NAME.fullmatch(name):
        message = f"scriptName {name!r} must be at most 63 lower case letters, digits, dashes and underscores between"
        raise InvalidInput("InvalidScriptName", message)


def check_account_name(name: str) -> None:
    if not ACCOUNT_NAME.fullmatch(name):
        message = f"account {name!r} must be at most 63 lower case letters, digits and dashes between them"
        raise InvalidInput("InvalidAccount", message)


def _date_of(text: str) -> date | None:
    if match := _README_DATE.fullmatch(text):
        text = f"{match[3]}-{match[1]}-{match[2]}"
    if not _ISO_DATE.fullmatch(text):
        return None
    try:
        return date.fromisoformat(text)
    except ValueError:
        return None
