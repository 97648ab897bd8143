"""What a reconciler is and what it may answer.

Guarantees: a reconciler is called for one key by one worker at a time.
Not guaranteed: how often, or for which of several changes; it looks at the
state it finds.
"""

from framework.reconcile.reconciler import Reconciler
from framework.reconcile.result import Result

__all__ = ["Reconciler", "Result"]
