"""Mutants that take a cluster which does not answer for one that has nothing, or for one where nothing happens."""

from contextlib import suppress

from apis.core.v1 import ConfigMap
from apis.meta import Request
from framework.errors import WindlassError
from framework.reconcile import Result
from tests.simulation import mirrored
from tests.simulation.mirrored import Mirror, mirrored_by
from tests.simulation.mutants.mutant import Mutant

_manifest_of = mirrored.manifest_of


def _of_any_version(original: ConfigMap, _version: str) -> dict[str, object]:
    return _manifest_of(original, "")


class LeavesTheMirror(Mirror):
    def end(self, original: ConfigMap) -> None:
        with suppress(WindlassError):
            super().end(original)
        self.set_finalizers(original, [])


class TriesOnce(Mirror):
    def reconcile(self, request: Request) -> Result:
        with suppress(WindlassError):
            super().reconcile(request)
        return Result.await_change()


MUTANTS = (
    Mutant(
        "unreachable-is-gone",
        "an object is let go though its part in a cluster that does not answer is still there",
        lambda _folder: mirrored_by(LeavesTheMirror),
    ),
    Mutant(
        "unreachable-is-done",
        "what a cluster did not take is not sent again",
        lambda _folder: mirrored_by(TriesOnce),
    ),
    Mutant(
        "overwrites-the-unseen",
        "what somebody has written in another cluster is overwritten by who has an old cache of it",
        mirrored.mirrored,
        [(mirrored, "manifest_of", _of_any_version)],
        known_from="found here",
    ),
)
