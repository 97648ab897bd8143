"""A mutant whose own webhook is in its way."""

from apis.meta import Request
from examples.website import WebsiteReconciler
from framework.errors import ServerError, TerminalError
from framework.reconcile import Result
from tests.simulation.mutants.mutant import Mutant
from tests.simulation.reviewed import reviewed

_reconcile = WebsiteReconciler.reconcile


def _give_up(self: WebsiteReconciler, request: Request) -> Result:
    try:
        return _reconcile(self, request)
    except ServerError as error:
        raise TerminalError("the server does not want it") from error


MUTANTS = (
    Mutant(
        "webhook-down-is-final",
        "a write that failed because a webhook did is not made again",
        reviewed,
        [(WebsiteReconciler, "reconcile", _give_up)],
    ),
)
