"""A mapping that forgets what was not used for longest."""

from collections import OrderedDict
from collections.abc import Iterator
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Recent(Generic[K, V]):
    def __init__(self, size: int) -> None:
        self._size = size
        # Longest unused first.
        self._values: OrderedDict[K, V] = OrderedDict()

    def __len__(self) -> int:
        return len(self._values)

    def __iter__(self) -> Iterator[V]:
        """All values, longest unused first; none of them counts as used by that."""
        return iter(self._values.values())

    def use(self, key: K) -> V | None:
        if key not in self._values:
            return None
        self._values.move_to_end(key)
        return self._values[key]

    def peek(self, key: K) -> V | None:
        return self._values.get(key)

    def put(self, key: K, value: V) -> V | None:
        """Keep *value*, and return the one that had to go for it."""
        self._values[key] = value
        self._values.move_to_end(key)
        return self._values.popitem(last=False)[1] if len(self._values) > self._size else None

    def pop(self, key: K) -> V | None:
        return self._values.pop(key, None)
