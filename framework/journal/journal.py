"""The last runs of the keys that ran last, for one controller."""

import msgspec

from apis.meta import Key, Request
from framework.errors import ConfigurationError
from framework.journal.run import Run
from framework.runtime import Runtime


class JournalOptions(msgspec.Struct, frozen=True):
    """With zero keys nothing is kept, and no reconcile is told why it runs."""

    # Of these at least the half that ran last is known at any time.
    keys: int = 1000
    runs_per_key: int = 10

    def __post_init__(self) -> None:
        if self.keys < 0 or self.runs_per_key < 1:
            raise ConfigurationError(
                f"a journal keeps at least one run of some keys, not {self.runs_per_key} of {self.keys}"
            )


class History(msgspec.Struct, gc=False):
    """What is kept of one key, and how many runs there were."""

    runs: list[Run]
    count: int = 0


class Journal:
    def __init__(self, runtime: Runtime, options: JournalOptions | None = None) -> None:
        self.options = options or JournalOptions()
        self._half = (self.options.keys + 1) // 2
        self._lock = runtime.lock()
        # Two generations instead of an order, which each run would have to keep. Invariant: no key is in both, and
        # whatever ran after the young one was begun is in it.
        self._young: dict[Request, History] = {}
        self._old: dict[Request, History] = {}

    @property
    def is_kept(self) -> bool:
        return self._half > 0

    def begin(self, request: Request, run: Run) -> None:
        """Keep *run*, which goes on, as the newest of *request*; only if anything is kept."""
        with self._lock:
            history = self._young.get(request) or self._rejuvenate(request)
            history.runs.append(run)
            history.count += 1
            if len(history.runs) > self.options.runs_per_key:
                del history.runs[0]

    def look(self, request: Request) -> tuple[int, tuple[Run, ...]]:
        """How many runs of *request* there were, as far as is known, and the last ones, the newest last."""
        with self._lock:
            history = self._young.get(request) or self._old.get(request)
            return (0, ()) if history is None else (history.count, tuple(history.runs))

    def find(self, key: Key) -> list[Request]:
        """The requests that are known for *key*, in any cluster; without a namespace, in any namespace too."""
        with self._lock:
            known = [*self._old, *self._young]
        return [each for each in known if each.name == key.name and key.namespace in {"", each.namespace}]

    def _rejuvenate(self, request: Request) -> History:
        history = self._old.pop(request, None) or History([])
        if len(self._young) >= self._half:
            self._old, self._young = self._young, {}
        self._young[request] = history
        return history
