"""What part of a resource a reflector asks for."""

import msgspec


class Scope(msgspec.Struct, frozen=True):
    """A namespace (empty: all), selectors, metadata only."""

    namespace: str = ""
    labels: str = ""
    fields: str = ""
    metadata_only: bool = False

    @property
    def query(self) -> dict[str, str]:
        given = {"labelSelector": self.labels, "fieldSelector": self.fields}
        return {name: value for name, value in given.items() if value}
