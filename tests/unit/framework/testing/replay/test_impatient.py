from collections.abc import Callable

from framework.client import Cancellation, HttpRequest, HttpResponse, Timeouts
from framework.testing.replay.impatient import ImpatientTransport


class Recording:
    def __init__(self) -> None:
        self.timeouts: list[Timeouts] = []

    def exchange(
        self,
        request: HttpRequest,
        *,
        on_chunk: Callable[[bytes], None] | None = None,  # noqa: ARG002 - part of the seam
        cancellation: Cancellation | None = None,  # noqa: ARG002 - as above
    ) -> HttpResponse:
        self.timeouts.append(request.timeouts)
        return HttpResponse(200, {})

    def close(self) -> None:
        return


def test_a_request_is_given_up_as_much_earlier_as_time_is_faster() -> None:
    inner = Recording()

    ImpatientTransport(inner, 10.0).exchange(HttpRequest("GET", "/", timeouts=Timeouts(10.0, 30.0, 20.0, 60.0)))

    assert inner.timeouts == [Timeouts(10.0, 3.0, 2.0, 6.0)]


def test_a_stream_may_be_silent_for_as_long_as_the_server_is() -> None:
    inner = Recording()
    request = HttpRequest("GET", "/", timeouts=Timeouts(10.0, 30.0, 65.0, None))

    ImpatientTransport(inner, 10.0).exchange(request, on_chunk=lambda _: None)

    assert inner.timeouts == [Timeouts(10.0, 3.0, 65.0, None)]
