"""Two workers at one key are noticed, should a queue ever allow it."""

from contextvars import copy_context

from apis.meta import Key, Request
from framework.reconcile import Result
from framework.testing.simulation.shown import Shown
from framework.testing.simulation.watched_manager import WatchedReconciler


def test_two_workers_at_one_key_are_reported() -> None:
    said: list[str] = []
    request = Request(Key("default", "one"))

    class Reenters:
        depth = 0

        def reconcile(self, request: Request) -> Result:
            self.depth += 1
            return watched.reconcile(request) if self.depth == 1 else Result.await_change()

    def report(oracle: str, message: str) -> None:
        said.append(f"{oracle}: {message}")

    watched = WatchedReconciler("test", Reenters(), report, Shown(lambda: "the only task"))
    # What is read is noted for the rest of a context.
    copy_context().run(watched.reconcile, request)
    copy_context().run(watched.reconcile, request)

    assert said == ["O5: two workers of test reconcile default/one at the same time"]
