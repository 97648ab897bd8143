"""Several PeerPods of one pod: only the newest has a VM that is still needed."""

from collections.abc import Callable, Sequence

from apis.confidentialcontainers.peerpod import PeerPod

ArrivalOf = Callable[[str], int | None]


def superseded(siblings: Sequence[PeerPod], arrival_of: ArrivalOf) -> list[PeerPod]:
    """Those of which it is certain that another one is newer."""
    return [each for each in siblings if any(_is_newer(other, each, arrival_of) for other in siblings)]


def _is_newer(one: PeerPod, other: PeerPod, arrival_of: ArrivalOf) -> bool:
    created, other_created = one.metadata.creation_timestamp, other.metadata.creation_timestamp
    if created is None or other_created is None:
        return False
    if created != other_created:
        return created > other_created
    arrival, other_arrival = arrival_of(one.metadata.uid), arrival_of(other.metadata.uid)
    return arrival is not None and other_arrival is not None and arrival > other_arrival
