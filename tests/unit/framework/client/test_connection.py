"""Retries, renewed credentials, deadlines and headers, over a scripted transport in virtual time."""

from collections.abc import Callable
from typing import Any

import pytest

from framework.client import Call, Cancellation, ClusterAddress, HttpRequest, HttpResponse, StaticCredentials, Timeouts
from framework.client.retry import MAX_ATTEMPTS
from framework.errors import (
    ApiError,
    Cancelled,
    ConfigurationError,
    ConnectError,
    DeadlineExceeded,
    ServerError,
    TlsError,
    TooManyRequests,
    TransportError,
    Unauthorized,
    WindlassError,
)
from framework.runtime import Deadline, deadline_scope

Failure = Callable[..., HttpResponse]
GET = Call("get", "GET", "/api/v1/namespaces/a/configmaps/b")
PATCH = Call("patch", "PATCH", "/api/v1/namespaces/a/configmaps/b", body=b"{}", content_type="merge")
OK = HttpResponse(200, {}, b"{}")


class RotatedCredentials:
    """A new token, and address, with each reload, until they are used up."""

    def __init__(self, *tokens: str, addresses: tuple[str, ...] = ("https://server",)) -> None:
        self._tokens = list(tokens)
        self._addresses = list(addresses)
        self.reloads = 0

    def address(self) -> ClusterAddress:
        return ClusterAddress(self._addresses[0])

    def authorization(self) -> str:
        return f"Bearer {self._tokens[0]}"

    def reload(self) -> None:
        self.reloads += 1
        for values in (self._tokens, self._addresses):
            if len(values) > 1:
                values.pop(0)


def tokens_of(requests: list[HttpRequest]) -> list[str]:
    return [line for request in requests for line in request.headers if line.startswith("Authorization")]


def test_a_request_says_who_asks_and_for_what(setup: Any, scripted: Any) -> None:
    transport = scripted(OK)
    credentials = StaticCredentials(ClusterAddress("https://s", impersonation=("Impersonate-User: jane",)), "t")

    setup.connection(transport, credentials).send(PATCH)

    assert set(transport.requests[0].headers) == {
        "Accept: application/json",
        "User-Agent: windlass/test",
        "Expect:",
        "Content-Type: merge",
        "Authorization: Bearer t",
        "Impersonate-User: jane",
    }


def test_a_read_has_no_content_type_and_nobody_without_credentials_an_authorization(setup: Any, scripted: Any) -> None:
    transport = scripted(OK)

    setup.connection(transport, StaticCredentials(ClusterAddress("https://s"))).send(GET)

    assert set(transport.requests[0].headers) == {"Accept: application/json", "User-Agent: windlass/test", "Expect:"}


@pytest.mark.parametrize("call", [GET, PATCH])
def test_429_waits_as_long_as_the_server_asks(setup: Any, scripted: Any, failure: Failure, call: Call) -> None:
    transport = scripted(failure(429, "TooManyRequests", retry_after="3"), OK)
    outcome = setup.outcome_of(lambda: setup.connection(transport).send(call))

    setup.time.advance(2.99)
    assert len(transport.requests) == 1
    setup.time.advance(0.01)

    assert outcome == [OK]


def test_jitter_makes_the_wait_only_longer(setup: Any, scripted: Any, failure: Failure) -> None:
    transport = scripted(failure(429, retry_after="10"), OK)
    outcome = setup.outcome_of(lambda: setup.connection(transport, jitter=1.0).send(GET))

    setup.time.advance(11.9)
    assert outcome == []
    setup.time.advance(0.2)

    assert outcome == [OK]


def test_an_absurd_retry_after_is_capped(setup: Any, scripted: Any, failure: Failure) -> None:
    transport = scripted(failure(429, retry_after="86400"), OK)
    outcome = setup.outcome_of(lambda: setup.connection(transport).send(GET))

    setup.time.advance(30)

    assert outcome == [OK]


@pytest.mark.parametrize("retry_after", [None, "0"])
def test_429_without_a_time_still_waits_a_little(
    setup: Any, scripted: Any, failure: Failure, retry_after: str | None
) -> None:
    transport = scripted(failure(429, retry_after=retry_after), OK)
    outcome = setup.outcome_of(lambda: setup.connection(transport).send(GET))

    setup.time.advance(0.09)
    assert len(transport.requests) == 1
    setup.time.advance(0.02)

    assert outcome == [OK]


def test_retry_after_of_the_status_counts_when_the_header_is_missing(setup: Any, scripted: Any) -> None:
    body = b'{"kind":"Status","code":429,"details":{"retryAfterSeconds":4}}'
    transport = scripted(HttpResponse(429, {}, body), OK)
    outcome = setup.outcome_of(lambda: setup.connection(transport).send(GET))

    setup.time.advance(3.9)
    assert outcome == []
    setup.time.advance(0.1)

    assert outcome == [OK]


@pytest.mark.parametrize("error", [TransportError("reset"), ConnectError("refused")])
def test_attempts_are_bounded_and_the_waits_between_them_grow(setup: Any, scripted: Any, error: WindlassError) -> None:
    transport = scripted(error)
    outcome = setup.outcome_of(lambda: setup.connection(transport).send(GET))

    for attempts, wait in enumerate((0.1, 0.2, 0.4, 0.8, 1.6), start=1):
        setup.time.advance(wait - 0.001)
        assert len(transport.requests) == attempts
        setup.time.advance(0.001)

    assert outcome == [error]
    assert len(transport.requests) == MAX_ATTEMPTS


@pytest.mark.parametrize("status", [500, 502, 503, 504])
def test_a_read_is_sent_again_after_a_server_error(setup: Any, scripted: Any, failure: Failure, status: int) -> None:
    transport = scripted(failure(status), OK)
    outcome = setup.outcome_of(lambda: setup.connection(transport).send(GET))

    setup.time.advance(1)

    assert outcome == [OK]


@pytest.mark.parametrize("status", [500, 503, 504])
def test_a_write_is_not_sent_again_after_a_server_error(
    setup: Any, scripted: Any, failure: Failure, status: int
) -> None:
    transport = scripted(failure(status, retry_after="1"))

    with pytest.raises(ServerError):
        setup.connection(transport).send(PATCH)

    assert len(transport.requests) == 1


def test_a_write_whose_answer_was_lost_is_not_sent_again(setup: Any, scripted: Any) -> None:
    transport = scripted(TransportError("reset"))

    with pytest.raises(TransportError):
        setup.connection(transport).send(PATCH)

    assert len(transport.requests) == 1


def test_a_write_that_did_not_get_out_is_sent_again(setup: Any, scripted: Any) -> None:
    transport = scripted(ConnectError("refused"), OK)
    outcome = setup.outcome_of(lambda: setup.connection(transport).send(PATCH))

    setup.time.advance(1)

    assert outcome == [OK]


def test_closing_ends_a_wait_at_once(setup: Any, scripted: Any, failure: Failure) -> None:
    connection = setup.connection(scripted(failure(429, retry_after="30")))
    outcome = setup.outcome_of(lambda: connection.send(GET))

    connection.close()
    setup.time.wait_until_idle()

    assert isinstance(outcome[0], Cancelled)


def test_a_closed_connection_sends_nothing(setup: Any, scripted: Any) -> None:
    transport = scripted(OK)
    connection = setup.connection(transport)
    connection.close()

    with pytest.raises(Cancelled):
        connection.send(GET)

    assert transport.requests == []
    assert transport.is_closed


@pytest.mark.parametrize("call", [GET, PATCH])
def test_a_refused_token_is_loaded_again_and_the_request_sent_once_more(
    setup: Any, scripted: Any, failure: Failure, call: Call
) -> None:
    transport, credentials = scripted(failure(401, "Unauthorized"), OK), RotatedCredentials("old", "new")

    answer = setup.connection(transport, credentials).send(call)

    assert answer is OK
    assert tokens_of(transport.requests) == ["Authorization: Bearer old", "Authorization: Bearer new"]


def test_a_token_that_stays_refused_is_an_error_after_one_reload(setup: Any, scripted: Any, failure: Failure) -> None:
    transport, credentials = scripted(failure(401, "Unauthorized")), RotatedCredentials("old", "new", "newer")

    with pytest.raises(Unauthorized):
        setup.connection(transport, credentials).send(GET)

    assert credentials.reloads == 1
    assert len(transport.requests) == 2


def test_a_token_that_the_reload_did_not_change_is_not_tried_again(setup: Any, scripted: Any, failure: Failure) -> None:
    transport, credentials = scripted(failure(401, "Unauthorized")), RotatedCredentials("only")

    with pytest.raises(Unauthorized):
        setup.connection(transport, credentials).send(GET)

    assert credentials.reloads == 1
    assert len(transport.requests) == 1


def test_a_token_that_another_task_renewed_meanwhile_is_used_without_a_reload(
    setup: Any, scripted: Any, failure: Failure
) -> None:
    credentials = RotatedCredentials("old", "new", "newer")

    def refuse_while_another_renews(_request: HttpRequest) -> HttpResponse:
        credentials.reload()
        return failure(401, "Unauthorized")

    transport = scripted(refuse_while_another_renews, OK)

    setup.connection(transport, credentials).send(GET)

    assert credentials.reloads == 1
    assert tokens_of(transport.requests)[-1] == "Authorization: Bearer new"


def test_a_renewed_request_is_retried_like_any_other(setup: Any, scripted: Any, failure: Failure) -> None:
    transport = scripted(failure(401, "Unauthorized"), failure(429, retry_after="2"), OK)
    outcome = setup.outcome_of(lambda: setup.connection(transport, RotatedCredentials("old", "new")).send(PATCH))

    setup.time.advance(2)

    assert outcome == [OK]


def test_a_token_that_expires_between_two_attempts_is_renewed(setup: Any, scripted: Any, failure: Failure) -> None:
    transport = scripted(failure(429, retry_after="2"), failure(401, "Unauthorized"), OK)
    outcome = setup.outcome_of(lambda: setup.connection(transport, RotatedCredentials("old", "new")).send(PATCH))

    setup.time.advance(2)

    assert outcome == [OK]


def test_a_watch_also_gets_a_fresh_token(setup: Any, scripted: Any, failure: Failure) -> None:
    transport, credentials = scripted(failure(401, "Unauthorized"), OK), RotatedCredentials("old", "new")
    transport.chunks = [b"x"]
    chunks: list[bytes] = []

    setup.connection(transport, credentials).stream(GET, chunks.append, Cancellation(setup.time.runtime))

    assert chunks == [b"", b"x"]


def test_a_new_certificate_authority_is_found_after_a_refused_handshake(setup: Any, scripted: Any) -> None:
    transport = scripted(TlsError("unknown CA"), OK)
    credentials = RotatedCredentials("t", addresses=("https://old", "https://new"))

    answer = setup.connection(transport, credentials).send(PATCH)

    assert answer is OK
    assert [address.server for address in setup.made] == ["https://old", "https://new"]
    assert transport.is_closed


def test_credentials_that_cannot_be_loaded_again_say_why(setup: Any, scripted: Any, failure: Failure) -> None:
    class Broken(RotatedCredentials):
        def reload(self) -> None:
            raise ConfigurationError("exec plugin 'x' failed: no login")

    with pytest.raises(ConfigurationError, match="no login"):
        setup.connection(scripted(failure(401)), Broken("t")).send(GET)


def test_a_deadline_that_has_passed_sends_nothing(setup: Any, scripted: Any) -> None:
    transport = scripted(OK)

    with deadline_scope(Deadline(0.0, 5.0)), pytest.raises(DeadlineExceeded, match=r"after 5 s, before patch /api"):
        setup.connection(transport).send(PATCH)

    assert transport.requests == []


def test_a_deadline_bounds_the_time_of_the_exchange(setup: Any, scripted: Any) -> None:
    transport = scripted(OK)

    with deadline_scope(Deadline(2.5, 5.0)):
        setup.connection(transport).send(GET)

    assert transport.requests[0].timeouts == Timeouts(total_seconds=2.5)


def test_a_late_deadline_leaves_the_usual_limits(setup: Any, scripted: Any) -> None:
    transport = scripted(OK)

    with deadline_scope(Deadline(1000.0, 1000.0)):
        setup.connection(transport).send(GET)

    assert transport.requests[0].timeouts == Timeouts()


def test_a_wait_that_would_pass_the_deadline_is_not_begun(setup: Any, scripted: Any, failure: Failure) -> None:
    transport = scripted(failure(429, retry_after="10", message="slow down"))

    with deadline_scope(Deadline(5.0, 5.0)), pytest.raises(DeadlineExceeded, match="slow down"):
        setup.connection(transport).send(GET)

    assert len(transport.requests) == 1


@pytest.mark.parametrize("status", [204, 201])
def test_every_2xx_is_an_answer(setup: Any, scripted: Any, status: int) -> None:
    answer = HttpResponse(status, {})

    assert setup.connection(scripted(answer)).send(GET) is answer


@pytest.mark.parametrize("status", [301, 304, 399])
def test_a_redirect_is_an_error(setup: Any, scripted: Any, status: int) -> None:
    with pytest.raises(ApiError) as raised:
        setup.connection(scripted(HttpResponse(status, {"location": "https://elsewhere"}))).send(GET)

    assert raised.value.code == status


def test_the_error_carries_the_time_that_the_server_asked_for(setup: Any, scripted: Any, failure: Failure) -> None:
    with pytest.raises(ServerError) as raised:
        setup.connection(scripted(failure(503, retry_after="Thu, 01 Jan 2026 00:00:07 GMT"))).send(PATCH)

    assert raised.value.retry_after_seconds == 7.0


def test_the_error_after_the_last_attempt_is_that_of_the_last(setup: Any, scripted: Any, failure: Failure) -> None:
    transport = scripted(*[failure(429, message=f"number {n}") for n in range(1, MAX_ATTEMPTS + 1)])
    outcome = setup.outcome_of(lambda: setup.connection(transport).send(GET))

    setup.time.advance(10)

    assert isinstance(outcome[0], TooManyRequests)
    assert str(outcome[0]) == f"number {MAX_ATTEMPTS}"
