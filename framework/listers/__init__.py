"""Reads from an informer's cache.

Guarantees: nothing is sent to the server; what is returned is immutable and
shared by everybody who asks.
Of an informer's lister: it is never older than what this process wrote through
the clients of the same manager.
Not guaranteed: that it is what the server has now, or that two calls see the
same state.
"""

from framework.listers.lister import Lister
from framework.listers.noted_lister import NotedLister

__all__ = ["Lister", "NotedLister"]
