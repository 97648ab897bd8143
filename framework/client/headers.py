"""The headers of an answer."""

from collections.abc import Iterator, Mapping
from functools import cached_property


class Headers(Mapping[str, str]):
    """The fields of the last head in *lines*; parsed when somebody asks, since nobody does when all is well."""

    def __init__(self, lines: tuple[bytes, ...]) -> None:
        self._lines = lines

    @cached_property
    def _fields(self) -> dict[str, str]:
        fields: dict[str, str] = {}
        for line in b"".join(self._lines).decode("latin-1").split("\r\n"):
            name, colon, value = line.partition(":")
            if line.startswith("HTTP/"):
                # The heads before belong to interim answers.
                fields.clear()
            elif colon:
                fields[name.lower()] = value.strip()
        return fields

    def __getitem__(self, name: str) -> str:
        return self._fields[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def __len__(self) -> int:
        return len(self._fields)
