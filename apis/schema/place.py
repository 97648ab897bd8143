"""Where in the declared types the generator is: what an error names."""

import msgspec

from apis.schema.errors import SchemaError


class Place(msgspec.Struct, frozen=True):
    owners: tuple[type[msgspec.Struct], ...]
    field: str = ""

    def error(self, problem: str) -> SchemaError:
        name = self.owners[-1].__name__
        return SchemaError(f"{name}.{self.field}: {problem}" if self.field else f"{name}: {problem}")

    def at(self, field: str) -> "Place":
        return Place(self.owners, field)

    def inside(self, owner: type[msgspec.Struct]) -> "Place":
        if owner in self.owners:
            raise self.error(f"{owner.__name__} contains itself, and a schema cannot; use dict[str, Any] there")
        return Place((*self.owners, owner))
