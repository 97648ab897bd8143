"""O4: a cache never goes back, and once all is quiet it is what the server has."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import msgspec

from apis.meta import Key, KubeObject, Unstructured
from framework.apiserver.storage.journal import StoredRow
from framework.client import Client
from framework.informers import SharedInformer
from framework.own_writes import CacheScope
from framework.store import transformed

_MOST_SHOWN = 3
# Given by the server to who reads, and of no account.
_FRAME = frozenset({"apiVersion", "kind"})


class OneWay:
    """An index that files nothing, and sees every object that enters a cache."""

    def __init__(self, name: str, complain: Callable[[str], None]) -> None:
        self._name = name
        self._complain = complain
        # By uid.
        self._revisions: dict[str, int] = {}

    def __call__(self, obj: KubeObject) -> Iterable[str]:
        metadata = obj.metadata
        revision = int(metadata.resource_version)
        before = self._revisions.get(metadata.uid, 0)
        if revision < before:
            self._complain(f"the cache of {self._name} went back from {before} to {revision} for {obj.key}")
        self._revisions[metadata.uid] = revision
        return ()


def untrue(informer: SharedInformer[Any], rows: Sequence[StoredRow], client: Client) -> Iterator[str]:
    """What is wrong in the cache of *informer*, if *rows* are all objects of its kind; read as a controller reads."""
    expected = {row.key: row for row in rows if _is_watched(informer, row)}
    cached: dict[Key, KubeObject] = {obj.key: obj for obj in informer.lister.list()}
    wrong = [
        *(f"{key} is missing" for key in expected if key not in cached),
        *(f"{key} is there, and was deleted" for key in cached if key not in expected),
        *(
            problem
            for key, obj in cached.items()
            if key in expected and (problem := _difference(informer, obj, expected[key], client))
        ),
    ]
    if informer.pending_own_writes:
        # A reader is shown the truth, but not by the cache.
        wrong.append(f"it has not heard of {informer.pending_own_writes} own writes")
    if wrong:
        more = f"; and {len(wrong) - _MOST_SHOWN} more" if len(wrong) > _MOST_SHOWN else ""
        yield f"the cluster is quiet, and the cache of {informer.name} is wrong: {'; '.join(wrong[:_MOST_SHOWN])}{more}"


def _is_watched(informer: SharedInformer[Any], row: StoredRow) -> bool:
    options = informer.options
    scope = CacheScope(options.namespaces, options.labels, options.fields)
    return scope.stream_of(row.key) is not None and scope.selects(row.raw)


def _difference(informer: SharedInformer[Any], obj: KubeObject, row: StoredRow, client: Client) -> str:
    if obj.metadata.resource_version != str(row.revision):
        return f"{obj.key} is of revision {obj.metadata.resource_version}, not {row.revision}"
    options = informer.options
    if options.metadata_only or informer.resource_type.name == "secrets":
        return ""
    raw = row.raw if options.transform is None else transformed(row.raw, options.transform)
    fresh = client.codec_of(informer.kind).decode(raw)
    if _content(obj) != _content(fresh):
        return f"{obj.key} was changed by who read it"
    return ""


def _content(obj: KubeObject) -> Any:
    if isinstance(obj, Unstructured):
        return {field: value for field, value in obj.content.items() if field not in _FRAME}
    return msgspec.structs.asdict(obj)
