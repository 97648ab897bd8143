"""The measures, one server at a time."""

import resource
from collections.abc import Callable
from pathlib import Path
from statistics import median

import msgspec

from framework.apiserver.server import ApiServer
from framework.apiserver.storage import JournalWrite
from framework.apiserver.storage.sqlite import SqliteJournal
from framework.clock import SystemClock
from framework.randomness import system_random
from framework.runtime import ThreadRuntime
from hack.bench.apiserver import objects
from hack.bench.apiserver.servers import EmbeddedProcess, Server, cpu_of, memory_kib_of
from hack.bench.apiserver.watchers import follow
from hack.bench.apiserver.wire import CallWire, Wire

_SETTLE_SECONDS = 3.0
_LIST_ROUNDS = 5
_clock = SystemClock()


class Sizes(msgspec.Struct, frozen=True):
    starts: int = 5
    writes: int = 2_000
    objects: int = 10_000
    stored_objects: int = 20_000
    watchers: int = 100
    events: int = 1_000


class Started(msgspec.Struct, frozen=True):
    """From the start of the processes to the first good answer."""

    wall_seconds: float
    cpu_seconds: float


class Writes(msgspec.Struct, frozen=True):
    """How many a second of the server's CPU time."""

    create: float
    update: float
    status_patch: float

    @property
    def together(self) -> float:
        """Of a program that does all three to each object."""
        return 3 / (1 / self.create + 1 / self.update + 1 / self.status_patch)


class Watched(msgspec.Struct, frozen=True):
    """What became of the events: how many watchers got all of them, and what it cost."""

    complete_watchers: int
    events_told: int
    server_cpu_seconds: float
    wall_seconds: float


class Stored(msgspec.Struct, frozen=True):
    """Many objects of one kind: what each takes, and how long all of them take to be listed."""

    kib_per_object: float
    list_seconds: float
    list_mib: float


def starts(make: Callable[[str], Server], rounds: int) -> Started:
    """Each time in an empty folder."""
    found = []
    for number in range(rounds):
        server = make(f"start-{number}")
        try:
            found.append((server.start(), cpu_of(server)))
        finally:
            server.stop()
    return Started(*map(median, zip(*found, strict=True)))


def writes(wire: Wire, count: int, cpu: Callable[[], float]) -> Writes:
    created: list[bytes] = []
    create = _per_cpu_second(count, cpu, lambda number: created.append(objects.create(wire, number)))
    bodies = [objects.changed(each) for each in created]
    update = _per_cpu_second(count, cpu, lambda number: objects.update(wire, number, bodies[number]))
    patch = _per_cpu_second(count, cpu, lambda number: objects.patch_status(wire, number, 1))
    return Writes(create, update, patch)


def watched(server: Server, sizes: Sizes) -> Watched:
    """Many watchers of one kind, and one writer, who patches as fast as it is answered."""
    wire = server.wire()
    objects.create(wire, 0)
    with follow(server, sizes.watchers, sizes.events) as following:
        cpu, before = cpu_of(server), _clock.monotonic()
        for value in range(sizes.events):
            objects.patch_status(wire, 0, value + 1)
        told = following.wait()
        found = Watched(
            complete_watchers=sum(each == sizes.events for each in told),
            events_told=sum(told),
            server_cpu_seconds=cpu_of(server) - cpu,
            wall_seconds=_clock.monotonic() - before,
        )
    wire.close()
    return found


def stored(server: Server, first: int, count: int) -> Stored:
    """As HTTP clients see it; the objects stay."""
    wire = server.wire()
    before = memory_kib_of(server)
    for number in range(first, first + count):
        objects.create(wire, number)
    _clock.wait(_SETTLE_SECONDS)
    after = memory_kib_of(server)
    seconds, size = list_seconds(wire)
    wire.close()
    return Stored((after - before) / count, seconds, size / 1024**2)


def list_seconds(wire: Wire) -> tuple[float, int]:
    """The median time of a list of everything, and its bytes."""
    found, size = [], 0
    for _ in range(_LIST_ROUNDS):
        before = _clock.monotonic()
        size = len(wire.send("GET", objects.COLLECTION))
        found.append(_clock.monotonic() - before)
    return median(found), size


def in_process() -> CallWire:
    wire = CallWire(ApiServer(clock=SystemClock(), runtime=ThreadRuntime(), random=system_random()))
    objects.install(wire)
    return wire


def own_cpu() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


def start_with_objects(folder: Path, count: int) -> Started:
    """With *count* objects in its database."""
    folder.mkdir()
    _fill(folder / "objects.sqlite", count)
    server = EmbeddedProcess(folder, is_durable=True)
    try:
        started = Started(server.start(), cpu_of(server))
        wire = server.wire()
        wire.send("GET", f"{objects.COLLECTION}/{objects.name_of(count - 1)}")
        wire.close()
    finally:
        server.stop()
    return started


def _fill(path: Path, count: int) -> None:
    # Made by a server in memory and written in one go: the way there is not what is measured.
    api = ApiServer(clock=SystemClock(), runtime=ThreadRuntime(), random=system_random())
    wire = CallWire(api)
    objects.install(wire)
    for number in range(count):
        objects.create(wire, number)
    journal = SqliteJournal(path)
    rows = [
        (resource, record) for resource in api.storage.resources() for record in api.storage.table(resource).records()
    ]
    rows.sort(key=lambda row: row[1].revision)
    journal.commit([JournalWrite(record.revision, kind, record.key, record.raw) for kind, record in rows])
    journal.close()
    api.close()


def _per_cpu_second(count: int, cpu: Callable[[], float], act: Callable[[int], object]) -> float:
    before = cpu()
    for number in range(count):
        act(number)
    return count / (cpu() - before)
