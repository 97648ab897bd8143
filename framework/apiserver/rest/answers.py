"""From what a verb came to, to the answer that the client gets."""

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from framework.apiserver.objects import Object
from framework.apiserver.rest.context import Context
from framework.apiserver.rest.listing import Page
from framework.apiserver.rest.representation import JSON, YAML, Shape, check_list, show_list, show_object
from framework.http.exchange import Answer
from framework.loading import LOADING

_encode = msgspec.json.Encoder().encode
_OK = 200
# Characters in all warnings of an answer; if there are more, each is cut to so many.
_WARNINGS_LENGTH, _CUT_WARNING_LENGTH = 4 * 1024, 256
_JSON_HEADERS: Mapping[str, str] = {"Cache-Control": "no-cache, private", "Content-Type": JSON}


def shown(context: Context, obj: Object, shape: Shape, code: int = _OK) -> Answer:
    """*obj* as the client wants to see it."""
    return encoded(context, show_object(context, obj, shape), shape, code)


def shown_page(context: Context, page: Page, shape: Shape) -> Answer:
    metadata: dict[str, Any] = {"resourceVersion": str(page.revision)}
    if page.continue_token:
        metadata["continue"] = page.continue_token
    if page.remaining is not None:
        metadata["remainingItemCount"] = page.remaining
    return _answer(context, show_list(context, page.records, metadata, check_list(context.resource, shape)), shape, _OK)


def encoded(context: Context, content: Object, shape: Shape, code: int = _OK) -> Answer:
    """*content* as it is, in the format that the client wants."""
    return _answer(context, _encode(content), shape, code)


def headers_of(shape: Shape) -> Mapping[str, str]:
    return _JSON_HEADERS if shape.media_type is JSON else {**_JSON_HEADERS, "Content-Type": shape.media_type}


def _answer(context: Context, body: bytes, shape: Shape, code: int) -> Answer:
    if shape.media_type is YAML:
        body = _as_yaml(body)
    elif context.query.flag("pretty"):
        body = msgspec.json.format(body, indent=2)
    return Answer(code, headers_of(shape), body, warnings=warning_headers(context.warnings))


def _as_yaml(body: bytes) -> bytes:
    # Rarely asked for, and slow to import.
    with LOADING:
        import yaml

    text: str = yaml.dump(msgspec.json.decode(body), Dumper=yaml.CSafeDumper, sort_keys=False)
    return text.encode()


def warning_headers(texts: list[str]) -> tuple[str, ...]:
    if not texts:
        return ()
    quoted = (text.replace("\\", "\\\\").replace('"', '\\"') for text in _within_limits(list(dict.fromkeys(texts))))
    return tuple(f'299 - "{text}"' for text in quoted)


def _within_limits(texts: list[str]) -> Iterator[str]:
    """All of *texts*, or as many beginnings of them as there is room for."""
    if sum(map(len, texts)) <= _WARNINGS_LENGTH:
        yield from texts
        return
    written = 0
    for text in texts:
        if written >= _WARNINGS_LENGTH:
            return
        written += min(len(text), _CUT_WARNING_LENGTH)
        yield text[:_CUT_WARNING_LENGTH]
