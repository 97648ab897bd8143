"""Answers the requests for OpenAPI documents."""

from collections.abc import Callable, Mapping
from urllib.parse import parse_qs

from framework.apiserver.discovery import Document, media_ranges
from framework.apiserver.openapi.documents import OpenApiDocuments
from framework.http.exchange import Answer, ServerRequest

_JSON = "application/json"
_NOT_CACHED = "no-cache, private"
_V3 = "/openapi/v3/"


class OpenApiEndpoints:
    """Asks *documents* at each request, so that a change of the resources shows at once."""

    def __init__(self, documents: Callable[[], OpenApiDocuments]) -> None:
        self._documents = documents

    def answer(self, request: ServerRequest) -> Answer | None:
        """The answer to *request*; None if its path is not one of OpenAPI."""
        path, _, query = request.target.partition("?")
        if path == "/openapi/v2":
            return _negotiated(self._documents().v2, request.headers, {"Vary": "Accept-Encoding"})
        if path == "/openapi/v3":
            headers = {"Cache-Control": _NOT_CACHED, "Content-Type": "text/plain; charset=utf-8"}
            return Answer(200, headers, self._documents().v3_index)
        if path.startswith(_V3):
            return self._v3(path.removeprefix(_V3), query, request.headers)
        return None

    def _v3(self, path: str, query: str, headers: Mapping[str, str]) -> Answer:
        document = self._documents().v3(path)
        if document is None:
            return Answer(404, {"Cache-Control": _NOT_CACHED})
        extra = {"Vary": "Accept"}
        if wanted := parse_qs(query).get("hash"):
            if wanted != [document.etag]:
                # The index was read before the last change: send the reader to what is there now.
                return Answer(301, {"Location": f"{_V3}{path}?hash={document.etag}"})
            extra["Cache-Control"] = "public, immutable"
        return _negotiated(document, headers, extra)


def _negotiated(document: Document, headers: Mapping[str, str], extra: Mapping[str, str]) -> Answer:
    common = {"Cache-Control": _NOT_CACHED, **extra}
    if not any(accepted.fits(_JSON) for accepted in media_ranges(headers.get("accept", ""))):
        return Answer(406, common)
    tag = f'"{document.etag}"'
    tagged = {**common, "ETag": tag}
    if tag in (one.strip() for one in headers.get("if-none-match", "").split(",")):
        return Answer(304, tagged)
    return Answer(200, {**tagged, "Content-Type": _JSON}, document.body)
