"""The HTTP server as an object to start and stop."""

import asyncio
import socket
from functools import partial
from types import TracebackType
from typing import Any, NamedTuple, Self

from framework.bugs import report_bug
from framework.clock import Clock, SystemClock
from framework.errors import ConfigurationError
from framework.http.answers import status_answer
from framework.http.exchange import Handler, HeadCheck, RefusalWriter, admit_all
from framework.http.listener import Listener
from framework.http.options import HttpOptions
from framework.http.service import Service
from framework.http.tls import ServerTls, TlsContexts, server_context
from framework.runtime import Runtime, Task, ThreadRuntime

_BACKLOG = 512
_GRACE_SECONDS = 5.0
# What is left to do after the grace time takes some time too.
_JOIN_SECONDS = 5.0


class HttpServer:
    """Serves *handler* between `start` and `stop`, each of which happens once.

    Requests that cannot block are handled on the one thread of the event
    loop, all others on a few more; the handler must bear that. With
    *listening*, a socket that listens already, host and port are its.
    *check_head* is asked about each request whose body is large, before it is read.
    """

    def __init__(
        self,
        handler: Handler,
        *,
        host: str = "127.0.0.1",
        port: int = 0,
        tls: ServerTls | TlsContexts | None = None,
        listening: socket.socket | None = None,
        clock: Clock | None = None,
        runtime: Runtime | None = None,
        options: HttpOptions | None = None,
        refusal_of: RefusalWriter = status_answer,
        check_head: HeadCheck = admit_all,
    ) -> None:
        self._handler = handler
        self._host = host
        self._port = port
        self._tls = tls
        self._listening = listening
        self._clock = clock or SystemClock()
        self._runtime = runtime or ThreadRuntime()
        self._options = options or HttpOptions()
        self._refusal_of = refusal_of
        self._check_head = check_head
        self._running: _Running | None = None

    @property
    def port(self) -> int:
        """The port it listens on; known once it has started."""
        return self._port

    @property
    def url(self) -> str:
        host = f"[{self._host}]" if ":" in self._host else self._host
        return f"{'http' if self._tls is None else 'https'}://{host}:{self._port}"

    def start(self) -> None:
        """Returns as soon as clients can connect; raises ConfigurationError if they never will."""
        contexts = _contexts(self._tls)
        listening = self._listening or self._listen()
        listening.settimeout(0)
        self._port = listening.getsockname()[1]
        loop = asyncio.new_event_loop()
        loop.set_exception_handler(_report)
        service = Service(
            self._handler,
            self._options,
            self._clock,
            self._runtime,
            loop,
            refusal_of=self._refusal_of,
            check_head=self._check_head,
        )
        listener = Listener(service, listening, contexts, self._clock)
        task = self._runtime.spawn("http-server", partial(_run, loop, listener))
        self._running = _Running(loop, listener, task)

    def stop(self, grace_seconds: float = _GRACE_SECONDS) -> None:
        """Accept no more, let requests finish and watches end; cut off what is not done by then."""
        running, self._running = self._running, None
        if running is not None:
            running.loop.call_soon_threadsafe(running.listener.stop, grace_seconds)
            running.task.join(grace_seconds + _JOIN_SECONDS)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def _listen(self) -> socket.socket:
        family = socket.AF_INET6 if ":" in self._host else socket.AF_INET
        try:
            listening = socket.create_server((self._host, self._port), family=family, backlog=_BACKLOG)
        except (OSError, OverflowError) as error:
            message = f"cannot listen on {self._host}:{self._port}: {error}; choose another port or 0 for any free one"
            raise ConfigurationError(message) from error
        return listening


class _Running(NamedTuple):
    loop: asyncio.AbstractEventLoop
    listener: Listener
    task: Task


def _contexts(tls: ServerTls | TlsContexts | None) -> TlsContexts | None:
    if not isinstance(tls, ServerTls):
        return tls
    context = server_context(tls)
    return lambda: context


def _run(loop: asyncio.AbstractEventLoop, listener: Listener) -> None:
    with asyncio.Runner(loop_factory=lambda: loop) as runner:
        runner.run(listener.run())


def _report(_loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    report_bug(context["message"], context.get("exception"))
