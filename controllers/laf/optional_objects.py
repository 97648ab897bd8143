"""What is read of Databases, Users and Gateways. Their values are secrets: never logged, and in no repr."""

from typing import Any

import msgspec

from apis.meta import Unstructured


class OssAccess(msgspec.Struct, frozen=True):
    """Of a User."""

    access_key: str
    secret_key: str
    endpoint: str
    region: str

    def __repr__(self) -> str:
        return "OssAccess(…)"

    @property
    def is_complete(self) -> bool:
        return all((self.access_key, self.secret_key, self.endpoint, self.region))


def is_ready(obj: Unstructured) -> bool:
    """Whether its condition Ready is True."""
    conditions = _map(obj.content.get("status")).get("conditions")
    found = [_map(each) for each in conditions] if isinstance(conditions, list) else []
    return any(each.get("type") == "Ready" and each.get("status") == "True" for each in found)


def database_uri(database: Unstructured) -> str:
    """Empty if there is none yet."""
    return _text(_map(database.content.get("status")).get("connectionUri"))


def oss_access(user: Unstructured) -> OssAccess:
    status = _map(user.content.get("status"))
    values = (_text(status.get(name)) for name in ("accessKey", "secretKey", "endpoint", "region"))
    return OssAccess(*values)


def storage_of(obj: Unstructured) -> Any:
    """What its spec asks for, as it was written."""
    return _map(_map(obj.content.get("spec")).get("capacity")).get("storage")


def _map(value: Any) -> dict[str, Any]:
    # Others write these objects, and perhaps with another schema than we know.
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
