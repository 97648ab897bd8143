"""O9: what is in a Secret, and what a token is, is nowhere else."""

import base64
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from typing import Any

import msgspec

from apis.meta import Key
from framework.apiserver.objects import GroupResource
from framework.log import REDACTED, redact
from framework.testing.simulation.outcome import Violation
from framework.testing.simulation.store import Commit, Snapshot

_SECRETS = GroupResource("", "secrets")
# What is shorter is found in every text, and is no secret.
_SHORTEST = 8
# What no encoder of JSON writes otherwise.
_PLAIN = re.compile(r"[A-Za-z0-9 ]+")
# Everybody is meant to have it.
_PUBLIC = "-----BEGIN CERTIFICATE"


class Sinks(msgspec.Struct, frozen=True):
    """Where a secret can have got to."""

    log: Sequence[Mapping[str, Any]]
    # Of each cluster.
    commits: Sequence[Sequence[Commit]]
    # By process: all words of the metrics of each of its lives.
    metrics: Sequence[tuple[str, str]]


class Secrets:
    """What must not be told, by what it is."""

    def __init__(self) -> None:
        self._names: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self._names)

    def add_token(self, token: str) -> None:
        self._add(token, "a token")

    def add_all(self, commits: Sequence[Commit], snapshot: Snapshot) -> None:
        for row in snapshot.rows:
            if row.resource == _SECRETS:
                self._add_secret(row.key, row.raw)
        for commit in commits:
            if commit.resource == _SECRETS and commit.raw is not None:
                self._add_secret(commit.key, commit.raw)

    def told(self, sinks: Sinks, belong: Sequence[str]) -> Iterator[Violation]:
        """Where secrets are, other than where patterns of *belong* say that they may be."""
        for place, names in _gathered(self._found(sinks)).items():
            if not any(fnmatch(place, pattern) for pattern in belong):
                yield Violation("O9", f"{', '.join(names)} is in {place}")

    def _found(self, sinks: Sinks) -> Iterator[tuple[str, str]]:
        for line in sinks.log:
            for name in self._in(_text_of(redact(None, "", line))):
                yield self._blotted(f"log: {line.get('event')}"), name
        for process, page in sinks.metrics:
            for name in self._in(page):
                yield f"metrics: {process}", name
        for commits in sinks.commits:
            yield from self._in_objects(commits)

    def _in_objects(self, commits: Sequence[Commit]) -> Iterator[tuple[str, str]]:
        before: dict[tuple[GroupResource, Key], bytes] = {}
        signs = [_sign_of(value) for value in self._names]
        for commit in commits:
            if commit.resource == _SECRETS or commit.raw is None:
                continue
            place = commit.resource, commit.key
            old, before[place] = before.get(place, b""), commit.raw
            if not commit.is_of_process or not any(sign in commit.raw for sign in signs):
                continue
            # What somebody else had written there is not this writer's doing.
            if set(self._in(_all_text(commit.raw))) - set(self._in(_all_text(old))):
                name = f"{commit.resource}/{commit.key.namespace}/{commit.key.name}"
                for path, text in _texts("", msgspec.json.decode(commit.raw)):
                    for secret in self._in(text):
                        yield f"{name}: {path}", secret

    def _in(self, text: str) -> list[str]:
        return [name for value, name in self._names.items() if value in text]

    def _blotted(self, text: str) -> str:
        for value in self._names:
            text = text.replace(value, REDACTED)
        return text

    def _add_secret(self, key: Key, raw: bytes) -> None:
        for field, encoded in (msgspec.json.decode(raw).get("data") or {}).items():
            text = base64.b64decode(encoded).decode("utf-8", "replace")
            if not text.startswith(_PUBLIC):
                name = f"{field!r} of the Secret {key}"
                # Of several lines the longest: texts of errors break them.
                self._add(max(text.splitlines(), key=len, default=""), name)
                self._add(encoded, name)

    def _add(self, value: str, name: str) -> None:
        if len(value) >= _SHORTEST:
            self._names[value] = name


def _gathered(found: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    gathered: dict[str, list[str]] = {}
    for place, name in found:
        names = gathered.setdefault(place, [])
        if name not in names:
            names.append(name)
    return gathered


def _sign_of(value: str) -> bytes:
    """A part of *value* that is in every JSON text which holds it; empty if there is none."""
    return max(_PLAIN.findall(value), key=len, default="").encode()


def _text_of(line: Mapping[str, Any]) -> str:
    return " ".join(f"{name}={value}" for name, value in line.items())


def _all_text(raw: bytes) -> str:
    return "\n".join(text for _, text in _texts("", msgspec.json.decode(raw))) if raw else ""


def _texts(path: str, value: Any) -> Iterator[tuple[str, str]]:
    if isinstance(value, dict):
        for field, inner in value.items():
            yield from _texts(f"{path}.{field}", inner)
            yield f"{path}.{field}", str(field)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _texts(f"{path}[{number}]", inner)
    elif isinstance(value, str):
        yield path, value
