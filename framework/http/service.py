"""What the connections of one server share."""

import asyncio

from framework.bugs import report_bug
from framework.clock import Clock
from framework.http import refusals
from framework.http.answers import NOTHING_TO_SAY, HeadWriter, status_answer
from framework.http.body_budget import BodyBudget
from framework.http.event_rounds import EventRounds
from framework.http.exchange import Answer, Handler, HeadCheck, RefusalWriter, ServerRequest, admit_all
from framework.http.options import HttpOptions
from framework.http.workers import Workers
from framework.runtime import Runtime


class Service:
    """The handler with everything that it takes to serve it."""

    def __init__(
        self,
        handler: Handler,
        options: HttpOptions,
        clock: Clock,
        runtime: Runtime,
        loop: asyncio.AbstractEventLoop,
        *,
        refusal_of: RefusalWriter = status_answer,
        check_head: HeadCheck = admit_all,
    ) -> None:
        self.options = options
        self.loop = loop
        self.heads = HeadWriter(clock)
        self.rounds = EventRounds(loop, options.event_round_seconds)
        self.bodies = BodyBudget(options.max_bodies_bytes, options.free_body_bytes)
        self.workers = Workers(runtime, options.max_workers)
        self.is_stopping = False
        self._handler = handler
        self.refusal_of = refusal_of
        self.check_head = check_head

    def may_block(self, request: ServerRequest) -> bool:
        return request.target != "*" and self._handler.may_block(request)

    def answer(self, request: ServerRequest) -> Answer:
        """Never raises, whatever the handler does."""
        if request.target == "*":
            return NOTHING_TO_SAY
        try:
            return self._handler.handle(request)
        except Exception as error:  # noqa: BLE001 - one request that fails must not take the connection, or the server
            report_bug("a handler failed", error, method=request.method, target=request.target)
            return self.refusal_of(refusals.unhandled())
