from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.component.peerpod.providers.fake_cloud import FakeCloud


@pytest.fixture
def cloud(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeCloud]:
    with FakeCloud(tmp_path) as started:
        # How all three SDKs, which use requests, are told of an authority of one's own.
        monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(started.authority_file))
        yield started
