"""One storage and one registry for all tests of a process; each test has names of its own in them."""

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.integration.workers_build.parts import workerd_binary
from tests.integration.workers_build.registry import Registry
from tests.integration.workers_build.steps import Steps
from tests.integration.workers_build.storage import KEY_ID, SECRET_KEY, Storage


@pytest.fixture(scope="session")
def moto_storage() -> Iterator[Storage]:
    started = Storage()
    yield started
    started.close()


@pytest.fixture
def storage(moto_storage: Storage, monkeypatch: pytest.MonkeyPatch) -> Storage:
    # As a credentials file would, which is what a pod has.
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", KEY_ID)
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET_KEY)
    return moto_storage


@pytest.fixture(scope="session")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Registry]:
    started = Registry(tmp_path_factory.mktemp("registry"))
    yield started
    started.close()


@pytest.fixture
def workerd() -> Path:
    return workerd_binary()


@pytest.fixture
def steps(tmp_path: Path, storage: Storage, workerd: Path) -> Steps:
    return Steps(tmp_path / "build", storage, workerd)


_NUMBERS = itertools.count()


@pytest.fixture
def script(storage: Storage) -> Callable[..., str]:
    """Store a script in a place of its own; returns its URL."""

    def store(modules: str | dict[str, str | bytes]) -> str:
        key = f"accounts/acme/script-{next(_NUMBERS)}"
        for name, content in ({"index.js": modules} if isinstance(modules, str) else modules).items():
            storage.put(f"{key}/{name}", content)
        return f"s3://scripts/{key}"

    return store
