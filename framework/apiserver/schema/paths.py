"""Paths of fields, as messages have them."""

# The API server's spelling of "the object itself".
NOWHERE = "<nil>"


def child(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name


def key(path: str, name: str) -> str:
    return f"{path}[{name}]"


def index(path: str, position: int) -> str:
    return f"{path}[{position}]"


def spelled(path: str) -> str:
    return path or NOWHERE
