"""Content read as an object of a built-in kind."""

from collections.abc import Sequence

from framework.apiserver.builtin.compiler import shape_of
from framework.apiserver.builtin.conversion import conversion_problem
from framework.apiserver.builtin.scalars import TypeMismatch
from framework.apiserver.builtin.shapes import Reading
from framework.apiserver.objects import Object
from framework.apiserver.status import Unreadable


def read_as(schema: str, obj: Object, *, kind: str, version: str) -> Sequence[str]:
    """Write all values as Go would, in place; return the paths of the fields that went because nobody knows them.

    Raises Unreadable if a value has a wrong type.
    """
    reading = Reading()
    try:
        shape_of(schema).read(obj, reading)
    except (TypeMismatch, ValueError) as error:
        raise Unreadable(kind, version, str(error), _when_converted(error)) from None
    return reading.unknown


def _when_converted(error: TypeMismatch | ValueError) -> str:
    if isinstance(error, TypeMismatch):
        return conversion_problem(error.value, error.go_type)
    return f"error decoding from json: {error}"
