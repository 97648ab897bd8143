"""What this process wrote to one key and its cache has not shown yet."""

from framework.store import Entry


class Pending:
    """Merges with what the cache holds into what a reader should see."""

    __slots__ = ("entry", "gone", "is_awaited", "is_known", "is_settled", "leaving", "since", "version")

    def __init__(self, since: float) -> None:
        # Of the last write.
        self.since = since
        # It has a place in the queue of versions that the cache must come to.
        self.is_awaited = False
        # The server was asked, and has nothing to add.
        self.is_settled = False
        # The version of the newest write; 0 when the cache has passed it. If is_known, it made the object *entry*,
        # or took it out of what the cache is for (None).
        self.version = 0
        self.entry: Entry | None = None
        self.is_known = True
        # Uids that are no more, and the version from which on a cache without them has seen their end; 0: not known.
        self.gone: dict[str, int] = {}
        # Uids that were deleted, and the last version before that.
        self.leaving: dict[str, int] = {}

    def merged(self, cached: Entry | None) -> Entry | None:
        seen = self.entry if self._is_ahead_of(cached) else cached
        return None if seen is not None and seen.uid in self.gone else seen

    def hides_unknown(self, cached: Entry | None) -> bool:
        """The object is not what a reader would see, and nobody told what it is."""
        if not self.is_known and self._is_ahead_of(cached):
            return True
        seen = self.merged(cached)
        return seen is not None and seen.version <= self.leaving.get(seen.uid, -1)

    @property
    def is_empty(self) -> bool:
        return not (self.version or self.gone or self.leaving)

    @property
    def is_unsettled(self) -> bool:
        """Asking the server about this key could help."""
        return bool(self.version or self.leaving) and not self.is_settled

    @property
    def has_unknown_end(self) -> bool:
        return 0 in self.gone.values()

    @property
    def next_end(self) -> int:
        """At which version something of this ends; 0: at no version that is known."""
        if not self.gone:
            return self.version
        return min((end for end in (self.version, *self.gone.values()) if end), default=0)

    def wrote(self, version: int, entry: Entry | None, *, is_known: bool = True) -> None:
        # Answers may come in another order than the writes were made.
        if version > self.version:
            self.version, self.entry, self.is_known = version, entry, is_known

    def end_by(self, version: int) -> None:
        """At *version* all that is gone was gone."""
        self.gone = {uid: end or version for uid, end in self.gone.items()}

    def pass_version(self, version: int, cached: Entry | None) -> None:
        """The cache, which holds *cached*, has come to *version*."""
        if self.version <= version:
            self.forget_write()
        uid = None if cached is None else cached.uid
        for each, end in list(self.gone.items()):
            if 0 < end <= version and each == uid:
                # Its creation was passed, its deletion was not: that will be a change.
                self.gone[each] = 0
            elif 0 < end <= version:
                del self.gone[each]

    def pass_change(self, old: Entry | None, new: Entry | None, *, is_end: bool) -> None:
        """The cache has seen *old* become *new*, of the same uid; None: it was not there, or is not any more.

        Unless that is the *end* of the object, it may come back into the cache.
        """
        if new is None and old is not None:
            self.leaving.pop(old.uid, None)
            if is_end:
                self.gone.pop(old.uid, None)
        elif new is not None and new.version > self.leaving.get(new.uid, new.version):
            del self.leaving[new.uid]

    def forget_write(self) -> None:
        self.version, self.entry, self.is_known = 0, None, True

    def _is_ahead_of(self, cached: Entry | None) -> bool:
        return self.version > (0 if cached is None else cached.version)
