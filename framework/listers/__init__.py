"""Reads from an informer's cache.

Guarantees: nothing is sent to the server; what is returned is immutable and
shared by everybody who asks.
Not guaranteed: that it is what the server has now, or that two calls see the
same state.
"""

from framework.listers.lister import Lister

__all__ = ["Lister"]
