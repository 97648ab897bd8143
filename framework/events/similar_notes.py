"""Many different notes about one thing: from some number on they are one event."""

from framework.events.occurrence import Occurrence, Topic
from framework.events.options import EventOptions
from framework.events.recent import Recent

COMBINED = "(combined from similar events): "


class _Notes:
    __slots__ = ("heard_at", "shown_apart")

    def __init__(self, heard_at: float) -> None:
        self.shown_apart: set[str] = set()
        self.heard_at = heard_at


class SimilarNotes:
    """client-go's EventAggregator; a note that was shown on its own stays so while people speak of the topic."""

    def __init__(self, options: EventOptions) -> None:
        self._options = options
        self._by_topic: Recent[Topic, _Notes] = Recent(options.memory_size)

    def are_combined_with(self, occurrence: Occurrence, now: float) -> bool:
        """Whether *occurrence* is one too many to be shown on its own."""
        if self._options.similar_notes == 0:
            return False
        notes = self._notes_about(occurrence.topic, now)
        if occurrence.note in notes.shown_apart:
            return False
        if len(notes.shown_apart) + 1 >= self._options.similar_notes:
            return True
        notes.shown_apart.add(occurrence.note)
        return False

    def _notes_about(self, topic: Topic, now: float) -> _Notes:
        notes = self._by_topic.use(topic)
        if notes is None or now - notes.heard_at > self._options.similar_seconds:
            notes = _Notes(now)
            self._by_topic.put(topic, notes)
        notes.heard_at = now
        return notes
