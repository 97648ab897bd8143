"""Files that only their owner may read."""

import os
from pathlib import Path


def write_private_file(path: Path, content: bytes) -> None:
    """Replace *path* as a whole: others may be reading it."""
    partial = path.with_name(f".{path.name}.{os.getpid()}.partial")
    descriptor = os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    partial.replace(path)
