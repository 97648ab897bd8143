"""What is reserved on each cluster, counted so that no place is given away twice."""

from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from apis.laf.instance import Instance
from apis.meta import Key
from controllers.instance.needs import Need
from controllers.instance.placement import Load
from framework.errors import Conflict, NotFound, WindlassError
from framework.listers import Lister
from framework.runtime import Runtime

CLUSTER_INDEX = "cluster"


class _Booking(msgspec.Struct, frozen=True):
    cluster_uid: str
    need: Need


class Bookings:
    """Records are in the status of Instances, and listers show own writes at once.

    So only a record whose answer was lost must be remembered here, until the
    Instance is looked at again: that is not before the cache and the server agree.
    """

    def __init__(self, instances: Lister[Instance], runtime: Runtime) -> None:
        self._instances = instances
        self._lock = runtime.lock()
        self._uncertain: dict[Key, _Booking] = {}

    @contextmanager
    def deciding(self) -> Iterator[None]:
        """Hold this over the reads, the decision and the write of the record."""
        with self._lock:
            yield

    @contextmanager
    def recording(self, key: Key, cluster_uid: str, need: Need) -> Iterator[None]:
        """The write of a record, inside of `deciding`."""
        self._uncertain[key] = _Booking(cluster_uid, need)
        try:
            yield
        except WindlassError as error:
            # These say that nothing was written; of any other it may have been.
            if isinstance(error, Conflict | NotFound):
                del self._uncertain[key]
            raise
        else:
            del self._uncertain[key]

    def look_again(self, key: Key) -> None:
        """The cache shows by now whatever became of the last record of *key*."""
        self._uncertain.pop(key, None)

    def load_of(self, cluster_uid: str, *, without: Key) -> Load:
        """What all but *without* have reserved there; inside of `deciding`."""
        bound = self._instances.by_index(CLUSTER_INDEX, cluster_uid)
        booked = {each.key: Need.of_reserved(each.status.reserved) for each in bound}
        for key, booking in tuple(self._uncertain.items()):
            if booking.cluster_uid == cluster_uid:
                booked[key] = booking.need.at_least(booked.get(key, Need()))
        booked.pop(without, None)
        return Load(sum(booked.values(), start=Need()), len(booked))
