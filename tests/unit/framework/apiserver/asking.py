"""A server under virtual time, and short ways to ask it."""

import json
from collections.abc import Mapping
from typing import Any

import msgspec

from framework.apiserver.server import ADMIN, ApiServer, ServerOptions
from framework.http.exchange import Answer, EventStream, PeerCertificate, ServerRequest
from framework.randomness import system_random
from framework.testing.virtual_time import VirtualTime

CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


class Reply(msgspec.Struct, frozen=True):
    status: int
    headers: Mapping[str, str]
    body: bytes
    stream: EventStream | None = None

    @property
    def document(self) -> Any:
        return json.loads(self.body)

    @property
    def said(self) -> tuple[int, str]:
        """The code and the message of a refusal."""
        return self.status, self.document["message"]

    def events(self) -> list[Any]:
        """What the stream has now."""
        assert self.stream is not None
        lines = []
        while chunk := self.stream.read():
            lines += chunk.splitlines()
        return [json.loads(line) for line in lines]

    @property
    def is_over(self) -> bool:
        assert self.stream is not None
        return self.stream.read() is None


class Asked:
    """A server with nothing but what every cluster has."""

    def __init__(self, options: ServerOptions | None = None, *, time: VirtualTime | None = None) -> None:
        self.time = time or VirtualTime()
        self.server = ApiServer(
            clock=self.time.clock, runtime=self.time.runtime, random=system_random(), options=options
        )

    def __call__(
        self, method: str, target: str, body: Any = None, *, peer: PeerCertificate = ADMIN, **headers: str
    ) -> Reply:
        content = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        sent = {"content-type": "application/json", **{name.replace("_", "-"): text for name, text in headers.items()}}
        return _reply(self.server.handle(ServerRequest(method, target, sent, content, peer)))

    def create(self, target: str, obj: Any) -> Any:
        reply = self("POST", target, obj)
        assert reply.status == 201, reply.body
        return reply.document

    def config_map(self, name: str, **data: str) -> Any:
        return self.create(CONFIG_MAPS, {"metadata": {"name": name}, "data": data})

    def merge(self, target: str, patch: Any) -> Any:
        reply = self("PATCH", target, patch, content_type="application/merge-patch+json")
        assert reply.status == 200, reply.body
        return reply.document

    def watch(self, query: str = "", target: str = CONFIG_MAPS) -> Reply:
        reply = self("GET", f"{target}?watch=true&{query}")
        assert reply.status == 200, reply.body
        return reply


def _reply(answer: Answer) -> Reply:
    return Reply(answer.status, answer.headers, answer.body, answer.stream)
