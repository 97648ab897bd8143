"""The debug page: what the journals of a process know of one object.

Guarantees: on loopback only, for requests that name a loopback host; nothing
but names, versions, verbs, times and redacted errors; an address that is taken
costs one warning and no process.
"""

from collections.abc import Callable, Iterable, Mapping
from http import HTTPStatus
from urllib.parse import parse_qs, urlsplit

import msgspec
import structlog

from apis.meta import Key, ResourceType, declaration_of
from framework.clock import Clock
from framework.controller import Controller
from framework.errors import ConfigurationError
from framework.http.address import is_loopback, parse_address
from framework.journal.report import Explanation, Problem, controller_report
from framework.manager.server import HttpServer, Page
from framework.runtime import Runtime

EXPLAIN_PATH = "/debug/explain"

_log = structlog.get_logger("windlass.manager")


class DebugServer:
    """Serves at *address*; an empty one means: nowhere."""

    def __init__(
        self, address: str, controllers: Callable[[], Iterable[Controller]], *, clock: Clock, runtime: Runtime
    ) -> None:
        if address and not is_loopback(parse_address("debug", address)[0]):
            raise ConfigurationError(f"debug address {address!r} is not on loopback; use for example 127.0.0.1:8090")
        self._address = address
        self._controllers = controllers
        self._clock = clock
        self._runtime = runtime
        self._server: HttpServer | None = None

    @property
    def ports(self) -> Mapping[str, int]:
        return {} if self._server is None else {"debug": self._server.port}

    def start(self) -> None:
        if not self._address:
            return
        try:
            self._server = HttpServer(
                "debug", self._address, {EXPLAIN_PATH: self._page}, self._runtime, clock=self._clock
            )
        except ConfigurationError as error:
            # Another process on this machine may have it; that is no reason not to work.
            _log.warning("debug_page_not_served", error=str(error), hint="choose another address, or 0 for none")
            return
        _log.debug("debug_page_served", port=self._server.port)
        self._server.start()

    def stop(self) -> None:
        server, self._server = self._server, None
        if server is not None:
            server.stop()

    def _page(self, headers: Mapping[str, str]) -> Page:
        # A page from elsewhere must not read this one through a name that it has pointed to loopback.
        if not is_loopback(urlsplit(f"//{headers.get('host', '')}").hostname or ""):
            return _json(HTTPStatus.FORBIDDEN, Problem("only for requests to a loopback address"))
        query = parse_qs(urlsplit(headers[":path"]).query)
        kind, object_ = query.get("kind", [""])[0], query.get("object", [""])[0]
        if not kind or not object_:
            return _json(HTTPStatus.BAD_REQUEST, Problem("say ?kind=KIND&object=NAMESPACE/NAME"))
        return self._explain(kind, Key.parse(object_))

    def _explain(self, kind: str, key: Key) -> Page:
        all_of_them = list(self._controllers())
        concerned = [each for each in all_of_them if kind.lower() in _names_of(each)]
        if not concerned:
            known = ", ".join(sorted({_kind_of(each) for each in all_of_them})) or "none"
            return _json(HTTPStatus.NOT_FOUND, Problem(f"no controller here is for {kind!r}; known: {known}"))
        now, monotonic = self._clock.now(), self._clock.monotonic()
        reports = [
            controller_report(each.name, each.journal, request, now=now, monotonic=monotonic)
            for each in concerned
            for request in each.journal.find(key)
        ]
        if not reports:
            return _json(HTTPStatus.NOT_FOUND, Problem(_unknown(key, concerned)))
        return _json(HTTPStatus.OK, Explanation(_kind_of(concerned[0]), now, reports))


def _unknown(key: Key, controllers: list[Controller]) -> str:
    names = " or ".join(each.name for each in controllers)
    keys = controllers[0].journal.options.keys
    if not keys:
        return "no journal is kept: it is to remember 0 objects"
    return f"{key} has not been reconciled by {names}, or not lately: about {keys} objects are remembered"


def _kind_of(controller: Controller) -> str:
    primary = controller.primary
    return controller.name if primary is None else primary.resource_type.gvk.kind


def _names_of(controller: Controller) -> set[str]:
    """All names under which somebody may ask for it, in small letters: its own, and those that kubectl knows."""
    names = {controller.name}
    if (primary := controller.primary) is not None:
        resource, kind = primary.resource_type, primary.kind
        names |= {resource.gvk.kind, resource.plural, resource.name}
        if not isinstance(kind, ResourceType):
            names |= {declaration_of(kind).singular, *declaration_of(kind).short_names}
    return {name.lower() for name in names}


def _json(status: HTTPStatus, document: msgspec.Struct) -> Page:
    return Page(status, "application/json", msgspec.json.encode(document))
