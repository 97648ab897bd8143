"""Which of a field's defaults the server fills in.

A default is written into the schema if it says something: None, "", 0, False, an empty container and a Struct that is
equal to its own defaults say nothing that the absence of the field does not say, so they stay in Python.
`apis.meta.server_default` overrules both ways.
"""

from typing import Any, get_type_hints

import msgspec
from msgspec import inspect

from apis.schema.place import Place


def default_of(field: inspect.Field, place: Place) -> Any:
    """The value to fill in, or None for none."""
    value = _python_default(field)
    return checked(value, field, place) if value else None


def checked(value: Any, field: inspect.Field, place: Place) -> Any:
    """*value*, if it is one that the field can have."""
    hint = get_type_hints(place.owners[-1], include_extras=True)[field.name]
    try:
        msgspec.convert(value, hint)
    except msgspec.ValidationError as error:
        raise place.error(f"the default {value!r} is not valid for its own type: {error}") from None
    return value


def _python_default(field: inspect.Field) -> Any:
    if field.default_factory is msgspec.NODEFAULT:
        return None if field.default is msgspec.NODEFAULT else _plain(field.default)
    first, second = _plain(field.default_factory()), _plain(field.default_factory())
    # A value made anew for each object (an id, a time) cannot be the same for all of them.
    return first if first == second else None


def _plain(value: Any) -> Any:
    return msgspec.to_builtins(value, order="deterministic")
