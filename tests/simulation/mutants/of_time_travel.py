"""Mutants that are only found where a server shows the past: reconnected to, or started at, one that is behind."""

from contextlib import suppress
from typing import Any

from apis.core.v1 import ConfigMap
from framework.errors import NotFound
from framework.informers.reflector import Reflector
from tests.simulation.mutants.mutant import Mutant
from tests.simulation.successors import CopiesByUid, successors_of

_watch = Reflector._watch


class DeletesByName(CopiesByUid):
    def remove_copy(self, original: ConfigMap) -> None:
        with suppress(NotFound):
            self.client.delete(ConfigMap, self.key_of(original))


class DeletesWhatItSees(CopiesByUid):
    """The version that it has seen is asked for again when the delete is refused, and then deleted all the same."""

    def remove_copy(self, original: ConfigMap) -> None:
        with suppress(NotFound):
            copy = self.client.get(ConfigMap, self.key_of(original))
            self.client.delete(ConfigMap, copy.key, uid=copy.metadata.uid)


def _watch_then_list_from_anywhere(self: Any, version: int) -> None:
    try:
        _watch(self, version)
    finally:
        self._version, self._list_version = None, "0"


MUTANTS = (
    Mutant(
        "deletes-by-name",
        "a delete decided on an old list hits the successor of the same name",
        lambda _folder: successors_of(DeletesByName),
    ),
    Mutant(
        "deletes-what-it-finds",
        "the uid of a delete is that of whatever has the name now",
        lambda _folder: successors_of(DeletesWhatItSees),
    ),
    Mutant(
        "relists-from-anywhere",
        "a watch that ended is followed by a list of any version, and the cache goes back in time",
        lambda _folder: successors_of(DeletesByName),
        [(Reflector, "_watch", _watch_then_list_from_anywhere)],
    ),
)
