"""Remembers of each reconcile why it ran, what it read and wrote, and what came of it.

Guarantees: on unless switched off, at the price of a few microseconds a reconcile and as many a request; bounded,
by so many runs of so many keys for each controller, of which those that ran
last are kept; a reconcile that is still running is there as well; names,
versions and verbs only, and errors, which a report shows without what looks
like a credential.
Not guaranteed: anything across a restart; that it knows of requests that a
reconciler makes in tasks of its own, or by a client that is not its
controller's.
"""

from framework.journal.call import Call
from framework.journal.journal import Journal, JournalOptions
from framework.journal.observer import JournalObserver
from framework.journal.run import Outcome, Run, current_reasons, set_current_run

__all__ = [
    "Call",
    "Journal",
    "JournalObserver",
    "JournalOptions",
    "Outcome",
    "Run",
    "current_reasons",
    "set_current_run",
]
