"""A cluster inside this process: the embedded API server with our definitions in it."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from controllers.definitions import install_crds
from framework.apiserver.embedded import EmbeddedOptions, EmbeddedServer
from framework.apiserver.in_process import in_process_client
from framework.errors import ConfigurationError


@contextmanager
def embedded_cluster(data_dir: str, port: int) -> Iterator[EmbeddedServer]:
    """A running server; what is written stays in *data_dir*, or without one in memory."""
    with _folder(data_dir) as folder:
        options = EmbeddedOptions(port=port, is_durable=bool(data_dir))
        with EmbeddedServer(folder, options=options) as server:
            install_crds(in_process_client(server.api))
            yield server


@contextmanager
def _folder(data_dir: str) -> Iterator[Path]:
    if not data_dir:
        with tempfile.TemporaryDirectory(prefix="windlass-") as temporary:
            yield Path(temporary)
        return
    folder = Path(data_dir)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise ConfigurationError(f"-data-dir={data_dir} cannot be used: {error.strerror}") from error
    yield folder
