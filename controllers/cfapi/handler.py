"""From a request of the HTTP server to an endpoint and back; whatever goes wrong becomes an envelope."""

from typing import Protocol
from urllib.parse import parse_qsl

import structlog
from prometheus_client import CollectorRegistry, Counter

from controllers.cfapi import failure
from controllers.cfapi.catalogue import Catalogue
from controllers.cfapi.envelope import Reply, answer_of, answer_of_error, answer_of_refusal
from controllers.cfapi.failure import CfError
from controllers.cfapi.names import check_account_name, check_script_name
from controllers.cfapi.request import CfRequest
from controllers.cfapi.router import Match, Router
from controllers.cfapi.tokens import Identity, Tokens
from controllers.scriptstorage.errors import StorageError
from framework.bugs import report_bug
from framework.errors import (
    ApiError,
    ServerError,
    Status,
    TooManyRequests,
    TransportError,
    WindlassError,
    api_error,
)
from framework.http.exchange import Answer, ServerRequest

API = "/client/v4"
_OTHER_ROUTE, _REFUSED_ROUTE = "other", "refused"
_MOST_PARAMETERS = 64
# What the next try may not meet.
_PASSING = (TransportError, ServerError, TooManyRequests)

_log = structlog.get_logger("windlass.cfapi")


class Pages(Protocol):
    def page(self, request: ServerRequest) -> Answer | None:
        """What needs no token: probes and metrics; None for anything else."""


class RequestMetrics:
    def __init__(self, registry: CollectorRegistry) -> None:
        self._requests = Counter(
            "workers_api_requests", "Requests of the Workers API.", ["route", "code"], registry=registry
        )

    def count(self, route: str, status: int) -> None:
        self._requests.labels(route, str(status)).inc()


class CfApiHandler:
    """A `framework.http` handler, with what that server needs to refuse in the same words."""

    def __init__(
        self, router: Router, tokens: Tokens, catalogue: Catalogue, pages: Pages, metrics: RequestMetrics
    ) -> None:
        self._router = router
        self._tokens = tokens
        self._catalogue = catalogue
        self._pages = pages
        self._metrics = metrics

    def may_block(self, request: ServerRequest) -> bool:  # noqa: ARG002 - all of them ask somebody
        return True

    def handle(self, request: ServerRequest) -> Answer:
        page = self._pages.page(request)
        if page is not None:
            return page
        path, _, query = request.target.partition("?")
        match = self._match(request.method, path)
        answer = self._answer(request, match, path, query)
        route = match.route.pattern if match else _OTHER_ROUTE
        self._metrics.count(route, answer.status)
        _log.info("request", method=request.method, route=route, code=answer.status, **_subject(match))
        return answer

    def refusal_of(self, refusal: ApiError) -> Answer:
        """What the HTTP server itself turns down."""
        self._metrics.count(_REFUSED_ROUTE, refusal.code)
        return answer_of_refusal(refusal)

    def check_head(self, request: ServerRequest) -> None:
        """A large body is read only of those who may send one."""
        try:
            self._identity(request).check_method(request.method)
        except CfError as error:
            raise api_error(Status(error.status, message=error.message)) from None

    def _match(self, method: str, path: str) -> Match | None:
        inside = path.removeprefix(API)
        return self._router.match(method, inside) if inside != path and inside.startswith("/") else None

    def _answer(self, request: ServerRequest, match: Match | None, path: str, query: str) -> Answer:
        try:
            identity = self._identity(request)
            if match is None:
                return answer_of_error(failure.no_route(path[:200]))
            reply = match.route.endpoint(self._request(request, match, identity, query))
            return answer_of(reply) if isinstance(reply, Reply) else reply
        except CfError as error:
            return answer_of_error(error)
        except StorageError as error:
            # The text names the bucket, which is none of the tenant's business.
            _log.warning("storage_failed", error=str(error))
            return answer_of_error(failure.unavailable("the storage of scripts does not answer"))
        except WindlassError as error:
            _log.warning("request_failed", error=str(error))
            status = 503 if isinstance(error, _PASSING) else 500
            return answer_of_error(failure.unavailable("the cluster does not answer as it should", status))
        except Exception as error:  # noqa: BLE001 - one request that fails must be answered all the same
            report_bug("an endpoint failed", error, route=match.route.pattern if match else _OTHER_ROUTE)
            return answer_of_error(failure.unavailable("the request could not be handled", status=500))

    def _identity(self, request: ServerRequest) -> Identity:
        return self._tokens.identify(request.headers.get("authorization"))

    def _request(self, request: ServerRequest, match: Match, identity: Identity, query: str) -> CfRequest:
        account, script = match.parameters.get("account"), match.parameters.get("script")
        if account is not None:
            check_account_name(account)
            identity.check(account, request.method)
        else:
            identity.check_method(request.method)
        found = None if account is None else self._catalogue.account(account)
        if script is not None:
            check_script_name(script)
        return CfRequest(
            method=request.method,
            identity=identity,
            parameters=match.parameters,
            query=_query(query),
            content_type=request.headers.get("content-type", ""),
            body=request.body,
            found_account=found,
        )


def _query(text: str) -> dict[str, str]:
    try:
        return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=_MOST_PARAMETERS))
    except ValueError:
        raise failure.bad_json("the query has too many fields") from None


def _subject(match: Match | None) -> dict[str, str]:
    """Whose script it was, as far as the path says so."""
    parameters = match.parameters if match else {}
    return {name: parameters[name][:100] for name in ("account", "script") if name in parameters}
