"""Names of time zones."""

import re
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from framework.apiserver.builtin.validation.checks import Errors
from framework.apiserver.fields import invalid_value
from framework.apiserver.objects import Object

_PART = re.compile(r"[A-Za-z.+_][A-Za-z0-9.+_-]*")


def time_zone(field: str, spec: Object) -> Errors:
    zone = spec.get("timeZone")
    if zone is None:
        return
    if not zone:
        yield invalid_value(field, zone, "timeZone must be nil or non-empty string")
    elif zone.lower() == "local":
        detail = "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        yield invalid_value(field, zone, detail)
    elif not _is_known(zone):
        yield invalid_value(field, zone, f"unknown time zone {zone}")


def _is_known(zone: str) -> bool:
    if any(part in {".", ".."} or not _PART.fullmatch(part) for part in zone.split("/")):
        return False
    try:
        ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
