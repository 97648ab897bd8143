"""What a lock file pins."""

import re

from packaging.markers import Marker

_LINE = re.compile(r"^(?P<name>[A-Za-z0-9_.-]+)==(?P<version>\S+)(?: ; (?P<marker>.*?))? \\$", re.MULTILINE)


def pinned(text: str) -> dict[str, str]:
    """The version of each distribution, by its name; only those that this Python on this system needs."""
    return {
        match["name"]: match["version"]
        for match in _LINE.finditer(text)
        if match["marker"] is None or Marker(match["marker"]).evaluate()
    }
