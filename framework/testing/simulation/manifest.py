"""An object without what others have added to it."""

from collections.abc import Mapping
from typing import Any

_OF_THE_USER = ("name", "namespace", "labels", "annotations")


def as_the_user_wrote_it(obj: Mapping[str, Any]) -> dict[str, Any]:
    metadata = {field: value for field, value in obj["metadata"].items() if field in _OF_THE_USER}
    return {**{field: value for field, value in obj.items() if field != "status"}, "metadata": metadata}
