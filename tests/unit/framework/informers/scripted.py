"""A server that answers as it is told, in virtual time."""

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from urllib.parse import parse_qsl, urlsplit

import msgspec

from apis.core.v1 import ConfigMap
from apis.meta import Key
from framework.client import (
    Cancellation,
    Client,
    ClusterAddress,
    Connection,
    HttpRequest,
    HttpResponse,
    StaticCredentials,
    Timeouts,
)
from framework.errors import Cancelled, TimedOut
from framework.informers import Reflector, ReflectorOptions
from framework.informers.scope import Scope
from framework.store import Entry, EventType, decode_envelope
from framework.testing.virtual_time import VirtualTime


class FixedRandom:
    """Always the same fraction of whatever range is asked for."""

    def __init__(self, fraction: float = 0.0) -> None:
        self.fraction = fraction

    def random(self) -> float:
        return self.fraction

    def uniform(self, a: float, b: float) -> float:
        return a + (b - a) * self.fraction

    def getrandbits(self, k: int, /) -> int:
        return int(self.fraction * 2**k)


class Answer(msgspec.Struct, frozen=True):
    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = {}


class Watch(msgspec.Struct, frozen=True):
    """Sends *chunks* at once and ends after *seconds*, with *error* if there is one; by default it never ends."""

    chunks: Sequence[bytes] = ()
    seconds: float | None = None
    error: Exception | None = None


Step = Answer | Watch
SILENCE = TimedOut("silence")


class Seen(msgspec.Struct, frozen=True):
    at: float
    query: dict[str, str]
    timeouts: Timeouts

    @property
    def is_watch(self) -> bool:
        return "watch" in self.query

    @property
    def version(self) -> str | None:
        return self.query.get("resourceVersion")


class ScriptedServer:
    """A Transport: takes the next step of its script for each request, and watches for ever at the end of it."""

    def __init__(self, time: VirtualTime) -> None:
        self._time = time
        self._script: deque[Step] = deque()
        self.requests: list[Seen] = []

    def will(self, *steps: Step) -> None:
        self._script.extend(steps)

    @property
    def watches(self) -> list[Seen]:
        return [request for request in self.requests if request.is_watch]

    @property
    def lists(self) -> list[Seen]:
        return [request for request in self.requests if not request.is_watch]

    def exchange(
        self,
        request: HttpRequest,
        *,
        on_chunk: Callable[[bytes], None] | None = None,
        cancellation: Cancellation | None = None,
    ) -> HttpResponse:
        query = dict(parse_qsl(urlsplit(request.target).query, keep_blank_values=True))
        self.requests.append(Seen(self._time.clock.monotonic(), query, request.timeouts))
        step = self._script.popleft() if self._script else Watch()
        if isinstance(step, Answer):
            return HttpResponse(step.status, step.headers, step.body)
        assert on_chunk is not None
        assert cancellation is not None
        self._stream(step, on_chunk, cancellation)
        return HttpResponse(200, {})

    def _stream(self, watch: Watch, on_chunk: Callable[[bytes], None], cancellation: Cancellation) -> None:
        for chunk in (b"", *watch.chunks):
            on_chunk(chunk)
        ended = self._time.runtime.event()
        cancellation.on_request(ended.set)
        if ended.wait(watch.seconds):
            raise Cancelled("ended from this side")
        if watch.error is not None:
            raise watch.error

    def close(self) -> None:
        pass


class RecordingSink:
    """Remembers what a reflector hands over."""

    def __init__(self) -> None:
        self.content: dict[str, int] = {}
        self.versions: list[int] = []
        self.replacements = 0
        # Raised, one each time, instead of taking what comes.
        self.replace_failures: list[Exception] = []
        self.apply_failures: list[Exception] = []

    def replace(self, entries: dict[Key, Entry], version: int) -> None:
        if self.replace_failures:
            raise self.replace_failures.pop()
        self.content = {key.name: entry.version for key, entry in entries.items()}
        self.versions.append(version)
        self.replacements += 1

    def apply(self, events: list[tuple[EventType, Entry]], version: int) -> None:
        if self.apply_failures:
            raise self.apply_failures.pop()
        for event_type, entry in events:
            if event_type == "DELETED":
                self.content.pop(entry.key.name, None)
            else:
                self.content[entry.key.name] = entry.version
        self.versions.append(version)

    def progress(self, version: int) -> None:
        self.versions.append(version)


class Bench:
    """A reflector of ConfigMaps on a scripted server."""

    def __init__(self, *, random: FixedRandom | None = None, known_version: int | None = None) -> None:
        self.time = VirtualTime()
        self.server = ScriptedServer(self.time)
        self.sink = RecordingSink()
        self.failures: list[str] = []
        self.random = random or FixedRandom()
        self._known_version = known_version

    def start(self, options: ReflectorOptions | None = None) -> Reflector:
        reflector = Reflector(
            ConfigMap,
            Scope(),
            self.sink,
            client=client_of(self.server, self.time, self.random),
            read=decode_envelope,
            clock=self.time.clock,
            runtime=self.time.runtime,
            random=self.random,
            on_failure=self.failures.append,
            known_version=self._known_version,
            options=options or ReflectorOptions(use_watch_list=False),
        )
        self.time.runtime.spawn("reflector", reflector.run)
        self.time.wait_until_idle()
        return reflector


def client_of(server: ScriptedServer, time: VirtualTime, random: FixedRandom) -> Client:
    connection = Connection(
        StaticCredentials(ClusterAddress(server="http://server")),
        make_transport=lambda _: server,
        clock=time.clock,
        runtime=time.runtime,
        random=random,
        user_agent="test",
    )
    return Client(connection)


def obj(name: str, version: int, uid: str = "", *, namespace: str = "default", **metadata: object) -> bytes:
    """The JSON of a ConfigMap."""
    meta = {"name": name, "namespace": namespace, "uid": uid or f"uid-{name}", "resourceVersion": str(version)}
    return msgspec.json.encode({"metadata": {**meta, **metadata}, "data": {"v": str(version)}})


def line(event_type: str, content: bytes) -> bytes:
    return b'{"type":"%b","object":%b}\n' % (event_type.encode(), content)


def bookmark(version: int, *, ends_initial: bool = False) -> bytes:
    annotations = {"k8s.io/initial-events-end": "true"} if ends_initial else {}
    metadata = {"resourceVersion": str(version), "annotations": annotations}
    return line("BOOKMARK", msgspec.json.encode({"metadata": metadata}))


def status(code: int, reason: str = "", *, retry_after: int = 0) -> bytes:
    details = {"retryAfterSeconds": retry_after} if retry_after else {}
    return msgspec.json.encode({"code": code, "reason": reason, "message": f"{code} {reason}", "details": details})


def listed(version: int, *objects: bytes, continue_: str = "") -> Answer:
    metadata = {"resourceVersion": str(version), "continue": continue_}
    return Answer(body=msgspec.json.encode({"metadata": metadata, "items": [msgspec.Raw(one) for one in objects]}))


def refused(code: int, reason: str = "", **headers: str) -> Answer:
    return Answer(code, status(code, reason), headers)
