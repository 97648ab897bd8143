"""`make bench-apiserver`: the embedded API server beside etcd and kube-apiserver, in one run."""

import argparse
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import msgspec

from framework.clock import SystemClock
from framework.testing.control_plane import ControlPlaneError, find_binaries
from hack.bench.apiserver import measures, objects, report
from hack.bench.apiserver.servers import (
    DURABLE,
    EMBEDDED,
    REAL,
    EmbeddedProcess,
    RealServer,
    Server,
    compile_once,
    cpu_of,
)

Maker = Callable[[str], Server]
QUICK = measures.Sizes(starts=1, writes=300, objects=1_000, stored_objects=2_000, watchers=20, events=200)


class Run:
    """One measure after the other, never two servers at work at a time."""

    def __init__(self, binaries: Path, folder: Path, sizes: measures.Sizes) -> None:
        self._binaries = binaries
        self._folder = folder
        self._sizes = sizes
        self._clock = SystemClock()
        self._started = self._clock.monotonic()
        self.found = report.Found()

    def all(self) -> report.Found:
        self._starts()
        self._over_http(REAL, self._real)
        self._over_http(EMBEDDED, self._embedded)
        self._writes_with_sqlite()
        self._by_calls()
        self._say(f"start with {self._sizes.stored_objects} objects in SQLite")
        with_objects = measures.start_with_objects(self._folder / "stored", self._sizes.stored_objects)
        self.found.starts[report.STORED] = with_objects
        return self.found

    def _starts(self) -> None:
        # The first start of all compiles; who installs the package as a wheel has that behind him. Where the
        # environment forbids it to keep what it compiled, all starts would.
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
        measures.starts(lambda _: self._embedded("compiling"), 1)
        makers: tuple[tuple[str, Maker], ...] = ((REAL, self._real), (EMBEDDED, self._embedded))
        for name, make in makers:
            self._say(f"starts: {name}")
            self.found.starts[name] = measures.starts(make, self._sizes.starts)

    def _over_http(self, name: str, make: Maker) -> None:
        sizes = self._sizes
        server = self._ready(make("writes"))
        try:
            self._say(f"writes: {name}")
            wire = server.wire()
            self.found.writes[name] = measures.writes(wire, sizes.writes, lambda: cpu_of(server))
            wire.close()
        finally:
            server.stop()
        server = self._ready(make("objects"))
        try:
            self._say(f"watchers: {name}")
            self.found.watched[name] = measures.watched(server, sizes)
            self._say(f"objects: {name}")
            self.found.stored[name] = measures.stored(server, 1, sizes.objects)
        finally:
            server.stop()

    def _writes_with_sqlite(self) -> None:
        self._say(f"writes: {DURABLE}")
        server = self._ready(EmbeddedProcess(self._folder / "durable", is_durable=True))
        try:
            wire = server.wire()
            self.found.writes[DURABLE] = measures.writes(wire, self._sizes.writes, lambda: cpu_of(server))
            wire.close()
        finally:
            server.stop()

    def _by_calls(self) -> None:
        self._say("writes and lists: in this process")
        self.found.writes[report.CALL] = measures.writes(measures.in_process(), self._sizes.writes, measures.own_cpu)
        wire = measures.in_process()
        for number in range(self._sizes.objects):
            objects.create(wire, number)
        seconds, size = measures.list_seconds(wire)
        self.found.stored[report.CALL] = measures.Stored(0.0, seconds, size / 1024**2)

    def _ready(self, server: Server) -> Server:
        server.start()
        wire = server.wire()
        objects.install(wire)
        wire.close()
        return server

    def _real(self, name: str) -> Server:
        return RealServer(self._binaries, self._folder / f"real-{name}")

    def _embedded(self, name: str) -> Server:
        return EmbeddedProcess(self._folder / f"embedded-{name}")

    def _say(self, text: str) -> None:
        print(f"bench: {self._clock.monotonic() - self._started:4.0f} s  {text}", file=sys.stderr, flush=True)


def main() -> int:
    options = parse_options()
    # Whatever ends the bench must unwind, so that the servers end too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    binaries = find_binaries(os.environ)
    if binaries is None:
        print("bench: no Kubernetes binaries are built; run `make control-plane` first", file=sys.stderr)
        return 1
    sizes = QUICK if options.quick else measures.Sizes()
    try:
        with tempfile.TemporaryDirectory(prefix="windlass-bench-", ignore_cleanup_errors=True) as folder:
            compile_once(Path(folder) / "compiled")
            found = Run(binaries, Path(folder), sizes).all()
    except (ControlPlaneError, OSError) as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    publish(found, sizes, options.json)
    return 0


def parse_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="hack/bench/apiserver/run", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything, to try it out")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all figures there, too")
    return parser.parse_args()


def publish(found: report.Found, sizes: measures.Sizes, file: Path | None) -> None:
    judged = report.judge(found, sizes)
    print(f"\n{msgspec.to_builtins(sizes)}\n\n{report.tables(found)}\n\n{report.verdicts(judged)}")
    if file is not None:
        whole = {"sizes": sizes, "found": found, "targets": judged}
        file.write_bytes(msgspec.json.format(msgspec.json.encode(whole)) + b"\n")


if __name__ == "__main__":
    sys.exit(main())
