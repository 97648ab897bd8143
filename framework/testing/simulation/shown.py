"""What one life of one process has been shown of each object, by answers and by events."""

from collections.abc import Callable

import msgspec

from apis.meta import Key
from framework.store import ReadNotes


class _Metadata(msgspec.Struct, rename="camel"):
    uid: str = ""
    resource_version: str = ""


class _Object(msgspec.Struct):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


class _Answer(_Object):
    items: list[_Object] = []


class _Event(msgspec.Struct):
    object: _Object


_answer = msgspec.json.Decoder(_Answer)
_event = msgspec.json.Decoder(_Event)
_object = msgspec.json.Decoder(_Object)


class Shown:
    """Of a reconcile, it is what it can have read: what it looked up in a cache, what it was answered, and of
    what it did not look up, what had come when it began. Of everything else it is what the process was shown.
    """

    def __init__(self, current_task: Callable[[], object]) -> None:
        self._current_task = current_task
        # By uid: the number of objects shown so far, and the revision.
        self._revisions: dict[str, list[tuple[int, int]]] = {}
        self._number = 0
        self._readings: dict[object, Reading] = {}

    def answer(self, body: bytes) -> None:
        """An object or a list; anything else, such as a page of metrics, shows no object."""
        try:
            answer = _answer.decode(body)
        except msgspec.DecodeError:
            return
        reading = self._readings.get(self._current_task())
        for each in (answer, *answer.items):
            revision = self._note(each)
            if reading is not None and revision:
                reading.answered[each.metadata.uid] = revision

    def event(self, line: bytes) -> None:
        self._note(_event.decode(line).object)

    def begin(self, notes: ReadNotes | None) -> "Reading":
        """A reconcile begins in the calling task; *notes* go on being told what it reads."""
        reading = self._readings[self._current_task()] = Reading(self, notes)
        return reading

    def end(self) -> None:
        self._readings.pop(self._current_task(), None)

    @property
    def number(self) -> int:
        return self._number

    def revision_of(self, resource: str, key: Key, raw: bytes) -> int:
        """The newest that the calling task knows of the object that *raw* is, under the uid it has; 0: never seen."""
        uid = _object.decode(raw).metadata.uid
        revisions = self._revisions.get(uid, ())
        reading = self._readings.get(self._current_task())
        if reading is None:
            return max((revision for _, revision in revisions), default=0)
        looked_up = reading.looked_up.get((resource, key), 0)
        if any(revision == looked_up for _, revision in revisions):
            return max(reading.answered.get(uid, 0), looked_up)
        early = (revision for number, revision in revisions if number <= reading.number)
        return max(reading.answered.get(uid, 0), *early, 0)

    def _note(self, obj: _Object) -> int:
        metadata = obj.metadata
        if not metadata.uid or not metadata.resource_version:
            return 0
        revision = int(metadata.resource_version)
        self._number += 1
        self._revisions.setdefault(metadata.uid, []).append((self._number, revision))
        return revision


class Reading:
    """What one reconcile has read."""

    def __init__(self, shown: Shown, notes: ReadNotes | None) -> None:
        self._shown = shown
        # Of the reconcile before this one nobody wants to hear.
        self.notes: ReadNotes | None = notes.notes if isinstance(notes, Reading) else notes
        self.number = shown.number
        # By uid, and by resource and key: the revision.
        self.answered: dict[str, int] = {}
        self.looked_up: dict[tuple[str, Key], int] = {}

    def note_read(self, resource: str, key: Key, version: str) -> None:
        if version:
            self.looked_up[resource, key] = int(version)
        if self.notes is not None:
            self.notes.note_read(resource, key, version)

    def note_list(self, resource: str, namespace: str, number: int) -> None:
        # Which objects it was is not told: it can be any that has come.
        self.number = self._shown.number
        self.looked_up.clear()
        if self.notes is not None:
            self.notes.note_list(resource, namespace, number)
