"""Tells informers at once when their kind is defined."""

from collections.abc import Callable, Iterable
from typing import Any

from framework.informers import SharedInformer
from framework.store import Change


class DefinitionHandler:
    """A handler of CustomResourceDefinitions, of which it needs no more than the names."""

    def __init__(self, informers: Callable[[], Iterable[SharedInformer[Any]]]) -> None:
        self._informers = informers

    def on_change(self, change: Change[Any]) -> None:
        for informer in self._informers():
            if informer.resource_type.name == change.key.name and informer.failure is not None:
                informer.retry_now()
