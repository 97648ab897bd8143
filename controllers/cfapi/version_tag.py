"""What a version says of itself to its own code."""

import msgspec


class VersionTag(msgspec.Struct, frozen=True):
    id: str
    tag: str
    timestamp: str

    def as_json(self) -> str:
        return msgspec.json.encode(self).decode()
