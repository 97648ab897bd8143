"""A loopback server that replays a recorded watch as fast as the client reads.

The recorded resource is answered from the recording; any other question is passed on to the real API server, except
watches, which stay silent. It speaks the protocol of a contestant: the events flow when the bench says go.
"""

import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.errors import ApiError
from framework.runtime import Event, ThreadRuntime
from hack.bench.kind import PLURAL
from hack.bench.recording import EVENTS, INITIAL, LIST
from hack.bench.stage import Stage

# Longer than any contestant may take; the bench ends this process long before.
_HOLD_SECONDS = 1800.0


class Recorded:
    def __init__(self, folder: Path) -> None:
        self.whole_list = (folder / LIST).read_bytes()
        self.initial = chunked((folder / INITIAL).read_bytes())
        self.events = chunked((folder / EVENTS).read_bytes())


class ReplayServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, recorded: Recorded, client: Client) -> None:
        super().__init__(("127.0.0.1", 0), Answer)
        runtime = ThreadRuntime()
        self.recorded = recorded
        self.client = client
        self.released: Event = runtime.event()
        self.ended: Event = runtime.event()


class Answer(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ReplayServer

    def do_GET(self) -> None:
        target = urlsplit(self.path)
        query = parse_qs(target.query)
        is_watch = query.get("watch", [""])[0].lower() in ("true", "1")
        is_recorded = target.path.endswith(f"/{PLURAL}")
        if is_watch:
            self._watch(is_recorded=is_recorded, with_initial="sendInitialEvents" in query)
        elif is_recorded:
            self._whole(200, self.server.recorded.whole_list)
        else:
            self._pass_on()

    def _watch(self, *, is_recorded: bool, with_initial: bool) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        if is_recorded:
            if with_initial:
                self.wfile.write(self.server.recorded.initial)
            self.server.released.wait(_HOLD_SECONDS)
            self.wfile.write(self.server.recorded.events)
        self.server.ended.wait(_HOLD_SECONDS)

    def _pass_on(self) -> None:
        try:
            self._whole(200, self.server.client.raw_get(self.path))
        except ApiError as error:
            self._whole(error.code, b"{}")

    def _whole(self, status: int, body: bytes) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name in the base class
        """Nobody reads it, and it would cost time."""


def chunked(lines: bytes) -> bytes:
    """One HTTP chunk for each event, as the API server sends them."""
    return b"".join(b"%x\r\n%b\r\n" % (len(line), line) for line in lines.splitlines(keepends=True))


def main() -> None:
    kubeconfig, folder = sys.argv[1:]
    stage = Stage(objects=0)
    client = connect(from_kubeconfig(kubeconfig, clock=SystemClock()))
    server = ReplayServer(Recorded(Path(folder)), client)
    ThreadRuntime().spawn("replay", server.serve_forever)
    stage.ready(f"http://127.0.0.1:{server.server_port}")
    server.released.set()
    stage.wait_for_the_end()


if __name__ == "__main__":
    main()
