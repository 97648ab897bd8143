"""Times as the API server writes them: to the second, and to the microsecond."""

from datetime import UTC, datetime
from typing import Annotated, NewType

from msgspec import Meta

Time = Annotated[datetime, Meta(tz=True)]

MicroTimeText = NewType("MicroTimeText", str)

# Text, not datetime: the server refuses a MicroTime that has not exactly six digits, and msgspec writes none of them
# when the microsecond is zero.
MicroTime = Annotated[MicroTimeText, Meta(extra_json_schema={"format": "date-time"})]


def micro_time(at: datetime) -> MicroTimeText:
    """RFC 3339 in UTC with six digits of fraction, so that texts sort as the times do."""
    if at.tzinfo is None:
        raise ValueError(f"a time without a zone is no point in time: {at.isoformat()}")
    return MicroTimeText(at.astimezone(UTC).replace(tzinfo=None).isoformat(timespec="microseconds") + "Z")


def time_of(text: MicroTimeText) -> datetime:
    """The point in time that *text* names; raises ValueError if it names none."""
    at = datetime.fromisoformat(text)
    if at.tzinfo is None:
        raise ValueError(f"a time without a zone is no point in time: {text}")
    return at.astimezone(UTC)
