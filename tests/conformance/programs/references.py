"""What texts that begin with `$` stand for.

`$version`, `$uid`: of the step's object, as the last answer about it had them; `$version:b`, `$uid:b`: of b.
`$first-version`, `$first-uid`: of the first answer, so mostly out of date, and perhaps of an object that is gone.
`$start`: the version at which the program began. `$listed`, `$continue`: of the last list.
"""

from typing import Any

NO_UID = "00000000-0000-4000-8000-000000000000"


class Seen:
    """What the answers of one server have told during a program."""

    def __init__(self, start: str) -> None:
        self._start = start
        self._objects: dict[str, list[Any]] = {}
        self._listed: dict[str, str] = {}

    def object(self, name: str) -> Any:
        """The last answer about *name*; None if there was none."""
        objects = self._objects.get(name)
        return objects[-1] if objects else None

    def note_object(self, name: str, obj: Any) -> None:
        self._objects.setdefault(name, []).append(obj)

    def note_list(self, metadata: dict[str, str]) -> None:
        self._listed = metadata

    def resolve(self, value: Any, name: str) -> Any:
        """*value* with everything that stands for something replaced, in a step about *name*."""
        if isinstance(value, dict):
            return {key: self.resolve(item, name) for key, item in value.items()}
        if isinstance(value, list):
            return [self.resolve(item, name) for item in value]
        if isinstance(value, str) and value.startswith("$"):
            return self._lookup(value[1:], name)
        return value

    def _lookup(self, reference: str, name: str) -> str:
        what, _, other = reference.partition(":")
        if what == "start":
            return self._start
        if what == "listed":
            return self._listed.get("resourceVersion") or self._start
        if what == "continue":
            return self._listed.get("continue") or ""
        objects = self._objects.get(other or name)
        if not objects:
            return NO_UID if what.endswith("uid") else self._start
        metadata = objects[0 if what.startswith("first-") else -1]["metadata"]
        return str(metadata["uid" if what.endswith("uid") else "resourceVersion"])
