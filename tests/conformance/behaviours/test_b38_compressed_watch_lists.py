"""From Kubernetes 1.37 on, watch lists may be compressed. The real server of these tests is older and does not."""

import gzip
import zlib
from collections.abc import Iterator
from typing import Any

import pytest

from framework.apiserver.embedded import EmbeddedOptions, EmbeddedServer
from framework.http.options import HttpOptions
from tests.conformance.api import Api
from tests.conformance.conftest import api_of, install
from tests.conformance.kinds import widget, widgets

pytestmark = pytest.mark.behaviour("B38")
STREAMED = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"}
GZIP = {"Accept-Encoding": "gzip"}


def test_who_accepts_gzip_can_read_a_watch_list(api: Api, namespace: str) -> None:
    for name in "ab":
        api.create(widgets(namespace), widget(name))

    with api.watch(widgets(namespace), {**STREAMED, "timeoutSeconds": 1}, headers=GZIP) as watch:
        body = watch.read_all()

    text = gzip.decompress(body) if watch.headers.get("content-encoding") == "gzip" else body
    assert [line[9:14] for line in text.splitlines()[:3]] == [b"ADDED", b"ADDED", b"BOOKM"]


@pytest.fixture(scope="module")
def compressing_api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    options = EmbeddedOptions(http=HttpOptions(gzip_watch_lists=True))
    with EmbeddedServer(tmp_path_factory.mktemp("compressing"), options=options) as server:
        api = api_of(server)
        install(api)
        yield api
        api.close()


def test_each_flush_is_a_gzip_member_of_its_own(compressing_api: Api) -> None:
    api = compressing_api
    api.create(widgets("default"), widget())

    with api.watch(widgets("default"), {**STREAMED, "timeoutSeconds": 30}, headers=GZIP) as watch:
        assert watch.headers["content-encoding"] == "gzip"
        first = _member(watch)
        api.create(widgets("default"), widget("mark"))
        second = _member(watch)

    assert b'"initial-events-end"' in first or b"k8s.io/initial-events-end" in first
    assert b'"name":"mark"' in second


def _member(watch: Any) -> bytes:
    """One whole gzip member, read as far as needed and no further."""
    decoder = zlib.decompressobj(wbits=31)
    text = b""
    while not decoder.eof:
        text += decoder.decompress(watch.read(1))
    return text
