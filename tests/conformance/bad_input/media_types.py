"""Formats that are not known, or not what is sent."""

from tests.conformance.api import JSON, MERGE, STRATEGIC
from tests.conformance.bad_input.case import (
    CONFIG_MAP,
    CONFIG_MAPS,
    PROTOBUF,
    WIDGET,
    WIDGETS,
    YAML,
    Case,
    get,
    patch,
    post,
)
from tests.conformance.kinds import config_map, widget

_CONTENT_TYPES = (
    "text/plain",
    "application/xml",
    "application/json;charset=utf-8",
    "application/json; charset=latin-1",
    "APPLICATION/JSON",
    "application/json, application/yaml",
    "json",
    "/",
    ";",
    "a/b/c",
    "application/*",
    "*/*",
    MERGE,
)
_ACCEPTS = (
    "text/html",
    "application/xml",
    "image/png, text/plain;q=0.5",
    "text/html, application/json",
    "application/*",
    "*/*;q=0.1",
    "application/json;as=Odd;v=v1;g=meta.k8s.io",
    "application/json;as=Table;v=v2;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "nonsense",
    ";",
    "application/json;stream=watch",
)


def media_types() -> dict[str, Case]:
    cases: dict[str, Case] = {}
    for media_type in _CONTENT_TYPES:
        cases[f"POST of {media_type}"] = post(f"{CONFIG_MAPS}?dryRun=All", config_map("x"), content_type=media_type)
        cases[f"POST of a widget as {media_type}"] = post(f"{WIDGETS}?dryRun=All", widget("x"), content_type=media_type)
        cases[f"PATCH as {media_type}"] = patch(f"{CONFIG_MAP}?dryRun=All", {}, media_type)
    for media_type in (JSON, YAML, PROTOBUF, STRATEGIC):
        cases[f"PATCH of a widget as {media_type}"] = patch(f"{WIDGET}?dryRun=All", {}, media_type)
    for media_type in _ACCEPTS:
        # The real server can write protobuf too, and says so.
        cases[f"GET of {media_type}"] = get(CONFIG_MAP, accept=media_type, has_own_words=True)
        cases[f"list of {media_type}"] = get(CONFIG_MAPS, accept=media_type, has_own_words=True)
        missing = f"{CONFIG_MAPS}/missing"
        cases[f"GET of a missing one as {media_type}"] = get(missing, accept=media_type, has_own_words=True)
    for label, body in {
        "nothing": b"",
        "words": b"words",
        "the magic only": b"k8s\0",
        "garbage": b"k8s\0" + b"\xff" * 20,
        "a length beyond the end": b"k8s\0\x12\xff\x01a",
        "an endless number": b"k8s\0" + b"\x80" * 12,
    }.items():
        own = label in {"garbage", "a length beyond the end", "an endless number"}
        cases[f"protobuf: {label}"] = post(CONFIG_MAPS, body, content_type=PROTOBUF, has_own_words=own)
    return cases
