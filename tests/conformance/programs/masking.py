"""Makes answers of different servers comparable: what each server makes up is replaced by when it was first seen.

So two uids or versions that are equal on one server have to be equal on the other.
"""

import json
import re
from typing import Any

_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_GENERATED = re.compile(r"(gen-\d+-)[bcdfghjklmnpqrstvwxz2456789]{5}")
_ADDRESS = re.compile(r"\d+\.\d+\.\d+\.\d+")
_OF_PRECONDITION = re.compile(r"(in record|ResourceVersion in the precondition) \((\d+)\)")
# A version in a text. Limits that the servers tell are smaller numbers, so programs begin where versions are not.
FIRST_VERSION = 1000
_NUMBER = re.compile(r"\b\d{4,}\b")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
# A patch that does not fit is shown with the whole object that it would make, in the order of a Go struct.
_PATCHED = re.compile(r'Invalid value: "(\{.*\}|\[.*\]|map\[.*\]|\.\.\.)": ', re.DOTALL)
# Where an object is kept is nobody's business, and another one on each server.
_ETCD_KEY = re.compile(r"StorageError: invalid object, Code: 4, Key: \S+, ResourceVersion: 0, AdditionalErrorMsg: ")
# The body of the request, in which the order of fields is that of an earlier answer.
_BODY = re.compile(r"'Kind' is missing in .*", re.DOTALL)
_SEPARATOR = re.compile(r", |: \[|\n *")
_AGE = re.compile(r"\d+m?s|<invalid>")
_NOW = "<now>"
# Moments, tokens, and addresses, which are given out by chance.
_ALWAYS_MASKED = frozenset({"creationTimestamp", "deletionTimestamp", "time", "continue", "clusterIP", "clusterIPs"})
# What a service may have instead of an address.
_PLAIN = re.compile("None")
# Fields whose values may be, or hold, what the server made up.
_TEXTS = frozenset({"message", "name", "warning"})


class Mask:
    """Of one server during one program."""

    def __init__(self) -> None:
        self._uids: dict[str, str] = {}
        self._versions: dict[str, str] = {}

    def document(self, document: Any) -> Any:
        """An answer's body: an object, a list, a table or a Status."""
        if isinstance(document, dict) and ("items" in document or "rows" in document):
            document = _without_moment(document)
        masked = self._value(document, "")
        if not isinstance(masked, dict):
            return masked
        if masked.get("kind") == "Status":
            _sort_problems(masked)
        for column in masked.get("columnDefinitions") or ():
            # Explanations for people, which need not be the same.
            del column["description"]
        for row in masked.get("rows") or ():
            row["cells"] = [_without_age(cell) for cell in row["cells"]]
        return masked

    def event(self, event: Any) -> Any:
        obj = event["object"]
        if event["type"] == "BOOKMARK":
            # The rest is what Go makes of an object of the kind in which nothing is set.
            obj = _without_moment({name: value for name, value in obj.items() if name not in {"spec", "status"}})
            if "rows" in obj:
                obj = {**obj, "rows": [{**row, "object": _without_moment(row["object"])} for row in obj["rows"]]}
        return {"type": event["type"], "object": self.document(obj)}

    def text(self, text: str) -> str:
        text = _PATCHED.sub('Invalid value: "<object>": ', text)
        text = _ETCD_KEY.sub("", text)
        text = _BODY.sub("'Kind' is missing in <body>", text)
        text = _UUID.sub(lambda found: self._uid(found[0]), text)
        text = _GENERATED.sub(r"\1*****", text)
        text = _TIME.sub("<time>", text)
        text = _OF_PRECONDITION.sub(lambda found: f"{found[1]} ({self._version(found[2])})", text)
        return _NUMBER.sub(lambda found: self._versions.get(found[0], found[0]), text)

    def _value(self, value: Any, field: str) -> Any:
        if isinstance(value, dict):
            # In order, since what is seen first is numbered first.
            return {self._key(name): self._value(value[name], name) for name in sorted(value)}
        if isinstance(value, list):
            items = [self._value(item, field) for item in value]
            # Sorted by the server by second, which may pass on one server only.
            return sorted(items, key=_canonical) if field == "managedFields" else items
        if isinstance(value, str) and value:
            return self._string(value, field)
        return value

    def _string(self, value: str, field: str) -> str:
        if field == "uid":
            return self._uid(value)
        if field == "resourceVersion" and value != _NOW:
            return self._version(value)
        if field in _ALWAYS_MASKED and not _PLAIN.fullmatch(value):
            return f"<{field}>"
        if field == "cells":
            return _ADDRESS.sub("<address>", _GENERATED.sub(r"\1*****", value))
        return self.text(value) if field in _TEXTS else value

    def _key(self, name: str) -> str:
        """In managedFields, uids are parts of names."""
        return self.text(name) if name.startswith("k:") else name

    def _version(self, value: str) -> str:
        return self._versions.setdefault(value, f"<version {len(self._versions)}>")

    def _uid(self, value: str) -> str:
        return self._uids.setdefault(value, f"<uid {len(self._uids)}>")


def _without_moment(obj: dict[str, Any]) -> dict[str, Any]:
    """Lists and bookmarks tell the version of the whole server, on which others write as well."""
    metadata = obj.get("metadata") or {}
    if not metadata.get("resourceVersion"):
        return obj
    return {**obj, "metadata": {**metadata, "resourceVersion": _NOW}}


def _sort_problems(status: dict[str, Any]) -> None:
    """The real server finds several problems of an object in the order of a hash map."""
    causes = (status.get("details") or {}).get("causes")
    if causes:
        causes.sort(key=_canonical)
    if _SEPARATOR.search(status.get("message", "")):
        status["message"] = sorted(part.rstrip("]") for part in _SEPARATOR.split(status["message"]))


def _without_age(cell: Any) -> Any:
    return "<age>" if isinstance(cell, str) and _AGE.fullmatch(cell) else cell


def _canonical(value: Any) -> str:
    return json.dumps(value, sort_keys=True)
