"""What an informer caches, and how it reads it."""

from collections.abc import Collection

import msgspec

from apis.meta import ResourceType
from framework.informers.paging import PAGE_SIZE
from framework.informers.reflector import SILENCE_SECONDS
from framework.store import Transform


class InformerOptions(msgspec.Struct, frozen=True):
    """What part of a resource is cached; the defaults mean all of it, in all namespaces."""

    namespaces: tuple[str, ...] = ("",)
    labels: str = ""
    fields: str = ""
    metadata_only: bool = False
    # Keeps of each object what it returns: drop_managed_fields, keep_fields(…), keep_declared(…) of framework.store.
    transform: Transform | None = None
    # Of Secrets, only the keys are cached: a process that watches them all need not be worth stealing from.
    keeps_secret_values: bool = False
    use_watch_list: bool = True
    # A watch from which nothing has been heard for so long is given up and resumed.
    silence_seconds: float = SILENCE_SECONDS
    page_size: int = PAGE_SIZE


def default_name(resource_type: ResourceType, options: InformerOptions) -> str:
    """The resource, and whatever tells this informer from another one of it: metrics may not mix the two."""
    parts = {
        "namespaces": "" if options.namespaces == ("",) else ",".join(options.namespaces),
        "labels": options.labels,
        "fields": options.fields,
        "metadata_only": "true" if options.metadata_only else "",
        "secret_values": "true" if options.keeps_secret_values else "",
    }
    given = [f"{name}={value}" for name, value in parts.items() if value]
    return f"{resource_type.name}[{';'.join(given)}]" if given else resource_type.name


def free_name(base: str, taken: Collection[str]) -> str:
    """*base*, with a number if there is one of that name already."""
    names = (base if number == 1 else f"{base}#{number}" for number in range(1, len(taken) + 2))
    return next(name for name in names if name not in taken)
