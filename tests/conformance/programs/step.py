"""A program as data: it prints as one line of JSON, and runs the same way on every server."""

from typing import Any, Literal

import msgspec

Verb = Literal["create", "put", "patch", "delete", "delete-collection", "get", "list", "watch"]
# Bodies as they are sent, the content types of the patches.
Form = Literal["", "json", "merge", "strategic", "apply"]
# How answers are wanted: whole, as metadata only, or as a table.
View = Literal["", "partial", "table"]


class Step(msgspec.Struct, frozen=True, omit_defaults=True):
    """One request about the object *name* of the program's kind, or about all of them.

    Texts in *body* and *query* that begin with `$` stand for what only the run knows; see `references.py`.
    """

    verb: Verb
    name: str = ""
    subresource: str = ""
    form: Form = ""
    body: Any = None
    # The body of a PUT is merged into the object that the last answer about it had.
    is_onto_seen: bool = False
    query: dict[str, str] = {}
    view: View = ""


class Program(msgspec.Struct, frozen=True, omit_defaults=True):
    kind: str
    steps: list[Step]
    # What the program is kept for, if it is.
    shows: str = ""

    def __str__(self) -> str:
        return msgspec.json.encode(self).decode()


def read_program(text: str | bytes) -> Program:
    return msgspec.json.decode(text, type=Program)
