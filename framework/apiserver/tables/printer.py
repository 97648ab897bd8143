"""A printer made of columns and a function."""

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from framework.apiserver.objects import Object
from framework.apiserver.resource import Column

Cells: TypeAlias = Callable[[Object, float], Sequence[Any]]
Conditions: TypeAlias = Callable[[Object], Sequence[Object]]

NAME = Column("Name", format="name", description="Name of the object, unique among those of its kind and namespace.")
AGE = Column("Age", description="Time since the object was created.")
CREATED_AT = Column("Created At", type="date", description="When the object was created.")
CONTAINERS = Column("Containers", description="Names of the containers in the template.", priority=1)
IMAGES = Column("Images", description="Images of the containers in the template.", priority=1)
SELECTOR = Column("Selector", description="Labels of the pods that belong to the object.", priority=1)


class FunctionTable:
    """Prints with *cells*; *conditions* says what else a row tells, e.g. that the object has completed."""

    def __init__(self, columns: Sequence[Column], cells: Cells, conditions: Conditions | None = None) -> None:
        self.columns = columns
        self.cells = cells
        self.conditions = conditions


def integer(name: str, description: str = "", priority: int = 0) -> Column:
    return Column(name, type="integer", description=description, priority=priority)


def wide(name: str, description: str = "") -> Column:
    """A column that `kubectl get -o wide` adds."""
    return Column(name, description=description, priority=1)
