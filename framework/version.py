"""Which version of this program runs."""

from functools import cache
from importlib.metadata import PackageNotFoundError, version


@cache
def program_version() -> str:
    try:
        return version("windlass")
    except PackageNotFoundError:
        return "unknown"
