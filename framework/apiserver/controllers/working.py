"""Working off what is due, one item after the other."""

from collections.abc import Callable

from framework.apiserver.controllers.due_items import DueItems, Item
from framework.bugs import report_trouble
from framework.errors import ApiError

# Somebody else wrote or deleted first: daily business, and the next look sees it.
_ORDINARY = frozenset({"Conflict", "NotFound", "AlreadyExists"})


def work_off(items: DueItems[Item], work: Callable[[Item], float | None]) -> float | None:
    """Do the *work* for everything that is due; in how many seconds something is due again, if anything.

    *work* returns in how many seconds its item needs another look. A write that the server refuses is tried again.
    """
    taken = items.take()
    while taken:
        item = taken.pop(0)
        try:
            again_seconds = work(item)
        except ApiError as error:
            if is_in_vain(error):
                items.succeeded(item)
                continue
            items.failed(item)
            if error.reason not in _ORDINARY:
                report_trouble("controller_refused", item=str(item), error=str(error))
        except BaseException:
            items.failed(item)
            for left in taken:
                items.add(left)
            raise
        else:
            items.succeeded(item, again_seconds)
    return items.seconds_to_next()


def is_in_vain(error: ApiError) -> bool:
    """Whether the namespace is being deleted: nothing can be made there, and nothing needs to be."""
    return error.has_cause("NamespaceTerminating")
