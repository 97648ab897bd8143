"""A bound on what one controller writes about one object."""

from framework.events.occurrence import Topic
from framework.events.options import EventOptions
from framework.events.recent import Recent
from framework.events.reference import Reference


class _Bucket:
    __slots__ = ("filled_at", "tokens")

    def __init__(self, tokens: float, filled_at: float) -> None:
        self.tokens = tokens
        self.filled_at = filled_at


class SpamFilter:
    """client-go's EventSourceObjectSpamFilter: a token bucket for each object and type of event."""

    def __init__(self, options: EventOptions) -> None:
        self._burst = float(options.spam_burst)
        self._refill_seconds = options.spam_refill_seconds
        self._buckets: Recent[tuple[Reference, str], _Bucket] = Recent(options.memory_size)

    def lets_through(self, topic: Topic, now: float) -> bool:
        bucket = self._bucket_of(topic, now)
        refilled = bucket.tokens + (now - bucket.filled_at) / self._refill_seconds
        bucket.tokens, bucket.filled_at = min(self._burst, refilled), now
        if bucket.tokens < 1.0:
            return False
        bucket.tokens -= 1.0
        return True

    def _bucket_of(self, topic: Topic, now: float) -> _Bucket:
        key = (topic.regarding, topic.type)
        bucket = self._buckets.use(key)
        if bucket is None:
            bucket = _Bucket(self._burst, now)
            self._buckets.put(key, bucket)
        return bucket
