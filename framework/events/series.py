"""One Event: what was said first, how often it was said since, and what the server knows of it."""

from datetime import datetime

import msgspec

from framework.events.occurrence import Occurrence, Topic

# A series is about one topic; the note is empty where it tells no events apart.
SeriesKey = tuple[Topic, str]


class Series(msgspec.Struct, eq=False):
    key: SeriesKey
    name: str
    first: Occurrence
    first_note: str
    # That of the last occurrence.
    note: str
    last_at: datetime
    # On the monotonic clock.
    heard_at: float
    # Nothing else of its kind was remembered when it began.
    is_first_of_kind: bool
    count: int = 1
    # The count that the server knows; 0: it knows nothing.
    written_count: int = 0
    # How often it was tried in vain since the server last took it.
    attempts: int = 0
    # An attempt to create it ended in a way that tells nothing.
    may_exist: bool = False
    # Not to be sent before, on the monotonic clock.
    not_before: float = 0.0

    @property
    def topic(self) -> Topic:
        return self.first.topic

    @property
    def namespace(self) -> str:
        return self.topic.regarding.event_namespace

    @property
    def is_unheard_first(self) -> bool:
        return self.is_first_of_kind and self.written_count == 0

    @property
    def has_unwritten_count(self) -> bool:
        return 0 < self.written_count < self.count
