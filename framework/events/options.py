"""How a recorder differs from the ordinary; the defaults are client-go's."""

from typing import Literal

import msgspec

EventApiVersion = Literal["events.k8s.io/v1", "v1"]


class EventOptions(msgspec.Struct, frozen=True):
    # events.k8s.io/v1: repetitions are a series, counted here and written now and then.
    # v1: each repetition is written, as far as the spam filter lets it.
    api_version: EventApiVersion = "events.k8s.io/v1"

    # How many writes may wait.
    queue_size: int = 1000
    # How many series, kinds and buckets are remembered.
    memory_size: int = 4096

    # events.k8s.io/v1: silent for so long, a series is over.
    finish_seconds: float = 360.0
    # events.k8s.io/v1: a series that goes on is written so often, for the server forgets an Event after an hour.
    refresh_seconds: float = 1800.0

    # From so many different notes about one thing within the interval on, further ones are combined into one Event.
    # 0: notes tell no events apart, and the first one stands for all, as in client-go's tools/events.
    similar_notes: int = 10
    similar_seconds: float = 600.0

    # v1: so many writes about one object at once, then one in each interval.
    spam_burst: int = 25
    spam_refill_seconds: float = 300.0

    max_attempts: int = 12
    first_retry_seconds: float = 1.0
    longest_retry_seconds: float = 60.0
    # After the server refused an Event it is not bothered with the same one for so long.
    refusal_pause_seconds: float = 60.0
