"""Answers the requests for discovery, version and health."""

from collections.abc import Callable, Mapping
from urllib.parse import parse_qs

import msgspec

from framework.apiserver.discovery.accept import media_ranges
from framework.apiserver.discovery.documents import DiscoveryDocuments, Document
from framework.apiserver.discovery.health import HealthChecks
from framework.apiserver.discovery.version import version_document
from framework.apiserver.status import not_acceptable
from framework.errors import Status, StatusDetails, api_error
from framework.http.exchange import Answer, ServerRequest

_AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
_AGGREGATED_PARAMETERS = {"g": "apidiscovery.k8s.io", "v": "v2", "as": "APIGroupDiscoveryList"}
_JSON = "application/json"
_NOT_CACHED = "no-cache, private"


class DiscoveryEndpoints:
    """Asks *documents* at each request, so that a change of the resources shows at once."""

    def __init__(
        self,
        documents: Callable[[], DiscoveryDocuments],
        health: HealthChecks,
        *,
        other_paths: tuple[str, ...] = ("/metrics", "/openapi/v2", "/openapi/v3"),
    ) -> None:
        self._documents = documents
        self._health = health
        self._other_paths = other_paths

    def answer(self, request: ServerRequest) -> Answer | None:
        """The answer to *request*; None if its path is not one of discovery. Raises ApiError with status 405 or 406."""
        path, _, query = request.target.partition("?")
        if path == "/":
            return self._root()
        if path in ("/version", "/version/"):
            _only_reading(request.method)
            return _indented(version_document())
        if path.startswith(("/healthz", "/livez", "/readyz")):
            return self._health.answer(path, parse_qs(query, keep_blank_values=True))
        return self._discovery(request.method, path.rstrip("/").split("/")[1:], request.headers)

    def _discovery(self, method: str, segments: list[str], headers: Mapping[str, str]) -> Answer | None:
        documents = self._documents()
        match segments:
            case ["api"]:
                _only_reading(method)
                return _listed(documents.core_versions, lambda: documents.aggregated_core, headers)
            case ["apis"]:
                return _listed(documents.group_list, lambda: documents.aggregated_groups, headers)
            case ["api", version]:
                return _resources(documents, "", version, method, headers)
            case ["apis", group]:
                return _plain(documents.group(group), headers)
            case ["apis", group, version]:
                return _resources(documents, group, version, method, headers)
        return None

    def _root(self) -> Answer:
        paths = {*self._documents().paths(), *self._health.paths(), *self._other_paths, "/version"}
        return _indented({"paths": sorted(paths)})


def _listed(body: bytes, aggregated: Callable[[], Document], headers: Mapping[str, str]) -> Answer:
    for accepted in media_ranges(headers.get("accept", "")):
        if not accepted.fits(_JSON):
            continue
        if "as" not in accepted.parameters:
            return Answer(200, _json_headers(), body)
        if all(accepted.parameters.get(name) == value for name, value in _AGGREGATED_PARAMETERS.items()):
            return _tagged(aggregated(), headers)
    raise _only_json()


def _resources(
    documents: DiscoveryDocuments, group: str, version: str, method: str, headers: Mapping[str, str]
) -> Answer | None:
    body = documents.resource_list(group, version)
    if body is not None:
        _only_reading(method)
    return _plain(body, headers)


def _plain(body: bytes | None, headers: Mapping[str, str]) -> Answer | None:
    if body is None:
        return None
    ranges = media_ranges(headers.get("accept", ""))
    if not any(accepted.fits(_JSON) and "as" not in accepted.parameters for accepted in ranges):
        raise _only_json()
    return Answer(200, _json_headers(), body)


def _tagged(document: Document, headers: Mapping[str, str]) -> Answer:
    tag = f'"{document.etag}"'
    common = {"Cache-Control": "public", "ETag": tag, "Vary": "Accept"}
    if tag in (one.strip() for one in headers.get("if-none-match", "").split(",")):
        return Answer(304, common)
    return Answer(200, {**common, "Content-Type": _AGGREGATED}, document.body)


def _indented(document: Mapping[str, object]) -> Answer:
    return Answer(200, _json_headers(), msgspec.json.format(msgspec.json.encode(document), indent=2))


def _json_headers() -> Mapping[str, str]:
    return {"Cache-Control": _NOT_CACHED, "Content-Type": _JSON}


def _only_reading(method: str) -> None:
    """Some documents are read only; of the others the real server does not mind the method."""
    if method != "GET":
        message = "the server does not allow this method on the requested resource"
        raise api_error(Status(405, "MethodNotAllowed", message, StatusDetails()))


def _only_json() -> Exception:
    return not_acceptable(f"only the following media types are accepted: {_JSON}")
