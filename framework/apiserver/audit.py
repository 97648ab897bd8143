"""The audit log of the embedded server: a line for each request, in the words of kube-apiserver."""

from pathlib import Path

import msgspec

from framework.apiserver.rest.request_info import MalformedPath, request_info, split_target
from framework.clock import Clock
from framework.http.exchange import Answer, Handler, ServerRequest


class AuditedHandler:
    """Notes what *inner* has answered in *file*, before the client has the answer.

    As level Metadata of kube-apiserver, without the user; a watch is noted when it begins.
    """

    def __init__(self, inner: Handler, file: Path, clock: Clock) -> None:
        self._inner = inner
        self._clock = clock
        # Unbuffered: each line is one write, so those of several tasks do not mix.
        self._log = file.open("ab", buffering=0)

    def handle(self, request: ServerRequest) -> Answer:
        received = self._clock.now()
        answer = self._inner.handle(request)
        event = {
            "stage": "ResponseComplete" if answer.stream is None else "ResponseStarted",
            "verb": _verb(request),
            "requestURI": request.target,
            "userAgent": request.headers.get("user-agent", ""),
            "responseStatus": {"code": answer.status},
            "requestReceivedTimestamp": received,
            "stageTimestamp": self._clock.now(),
        }
        self._log.write(msgspec.json.encode(event) + b"\n")
        return answer

    def may_block(self, request: ServerRequest) -> bool:
        return self._inner.may_block(request)

    def close(self) -> None:
        self._log.close()


def _verb(request: ServerRequest) -> str:
    try:
        path, query = split_target(request.target)
        return request_info(request.method, path, is_watch=query.flag("watch")).verb
    except MalformedPath:
        return request.method.lower()
