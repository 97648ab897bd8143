"""A started server over a handler."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from framework.http.exchange import Handler
from framework.http.options import HttpOptions
from framework.http.server import HttpServer

Serve = Callable[..., HttpServer]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """`serve(handler, max_body_bytes=10, clock=...)`: what is no argument of the server is one of its options."""
    with ExitStack() as stack:

        def start(handler: Handler, *, clock: Any = None, tls: Any = None, **options: Any) -> HttpServer:
            server = HttpServer(handler, clock=clock, tls=tls, options=HttpOptions(**options))
            return stack.enter_context(server)

        yield start
