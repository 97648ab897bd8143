"""A controller framework: informers, work queues, listers, one manager.

It knows no custom kind; `apis.meta` is all it shares with them.
"""
