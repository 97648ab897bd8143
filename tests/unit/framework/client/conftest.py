"""A transport that answers from a script, and a connection over it in virtual time."""

from collections.abc import Callable

import pytest

from framework.client import ClusterAddress, Connection, Credentials, HttpRequest, HttpResponse, StaticCredentials
from framework.client.cancellation import Cancellation
from framework.client.metrics import HostMetrics
from framework.errors import Status
from framework.testing.relay import status_body
from framework.testing.virtual_time import VirtualTime

Answer = HttpResponse | Exception | Callable[[HttpRequest], HttpResponse]


class ScriptedTransport:
    """Gives the answers in their order, the last one for ever."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)
        self.requests: list[HttpRequest] = []
        self.chunks: list[bytes] = []
        self.is_closed = False

    def exchange(
        self,
        request: HttpRequest,
        *,
        on_chunk: Callable[[bytes], None] | None = None,
        cancellation: Cancellation | None = None,  # noqa: ARG002 - the seam has it
    ) -> HttpResponse:
        self.requests.append(request)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        if isinstance(answer, Exception):
            raise answer
        if not isinstance(answer, HttpResponse):
            answer = answer(request)
        if on_chunk is not None and answer.status == 200:
            for chunk in (b"", *self.chunks):
                on_chunk(chunk)
        return answer

    def close(self) -> None:
        self.is_closed = True


class NewTransport:
    """A transport of its own over the same script."""

    def __init__(self, script: ScriptedTransport) -> None:
        self.exchange = script.exchange
        self.close = script.close


class FixedRandom:
    """Draws the same place between the bounds each time."""

    def __init__(self, place: float) -> None:
        self._place = place

    def random(self) -> float:
        return self._place

    def uniform(self, a: float, b: float) -> float:
        return a + (b - a) * self._place

    def getrandbits(self, k: int, /) -> int:
        return int(self._place * 2**k)


class Setup:
    """A connection to a script. `send` runs in a task, so that the test can let time pass."""

    def __init__(self, time: VirtualTime) -> None:
        self.time = time
        self.made: list[ClusterAddress] = []

    def connection(
        self,
        transport: ScriptedTransport,
        credentials: Credentials | None = None,
        *,
        jitter: float = 0.0,
        metrics: HostMetrics | None = None,
    ) -> Connection:
        def make_transport(address: ClusterAddress) -> NewTransport:
            self.made.append(address)
            return NewTransport(transport)

        return Connection(
            credentials or StaticCredentials(ClusterAddress("https://server:6443"), "t"),
            make_transport=make_transport,
            clock=self.time.clock,
            runtime=self.time.runtime,
            random=FixedRandom(jitter),
            user_agent="windlass/test",
            metrics=metrics,
        )

    def outcome_of(self, act: Callable[[], object]) -> list[object]:
        """Run *act* in a task; what it returned or raised is in the list once it has ended."""
        outcome: list[object] = []

        def run() -> None:
            try:
                outcome.append(act())
            except Exception as error:  # noqa: BLE001 - the test looks at it
                outcome.append(error)

        self.time.runtime.spawn("sender", run)
        self.time.wait_until_idle()
        return outcome


@pytest.fixture
def setup() -> Setup:
    return Setup(VirtualTime())


@pytest.fixture
def scripted() -> type[ScriptedTransport]:
    return ScriptedTransport


@pytest.fixture
def failure() -> Callable[..., HttpResponse]:
    """An error answer with a Status, as an API server gives it."""

    def make(code: int, reason: str = "", *, retry_after: str | None = None, message: str = "no") -> HttpResponse:
        headers = {} if retry_after is None else {"retry-after": retry_after}
        return HttpResponse(code, headers, status_body(Status(code=code, reason=reason, message=message)))

    return make
