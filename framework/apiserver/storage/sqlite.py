"""A journal in one SQLite file: write-ahead log, synced to the disk at every commit."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from apis.meta import Key
from framework.apiserver.objects import GroupResource
from framework.apiserver.status import internal_error
from framework.apiserver.storage.journal import JournalWrite, StoredRow
from framework.errors import ConfigurationError

_SCHEMA = """
CREATE TABLE IF NOT EXISTS objects (
    grp TEXT NOT NULL, resource TEXT NOT NULL, namespace TEXT NOT NULL, name TEXT NOT NULL,
    revision INTEGER NOT NULL, raw BLOB NOT NULL,
    UNIQUE (grp, resource, namespace, name)
);
CREATE TABLE IF NOT EXISTS state (only_row INTEGER PRIMARY KEY CHECK (only_row = 1), revision INTEGER NOT NULL);
INSERT OR IGNORE INTO state VALUES (1, 0);
"""
_WRITE = """
INSERT INTO objects VALUES (?,?,?,?,?,?) ON CONFLICT DO UPDATE SET revision=excluded.revision, raw=excluded.raw
"""
_DELETE = "DELETE FROM objects WHERE grp=? AND resource=? AND namespace=? AND name=?"
_FORMAT = 1


class SqliteJournal:
    """Used by one server at a time: a second one on the same file is refused."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            # It holds Secrets.
            path.touch(mode=0o600)
            self._database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=0)
        except sqlite3.Error as error:
            raise _unusable(path, error) from error
        try:
            self._open()
        except sqlite3.Error as error:
            self._database.close()
            raise _unusable(path, error) from error

    def _open(self) -> None:
        execute = self._database.execute
        # Kept for the life of the connection, so that two servers never write the same file.
        execute("PRAGMA locking_mode=EXCLUSIVE")
        execute("PRAGMA journal_mode=WAL")
        # FULL syncs the log at each commit: an answered write survives a power cut as well.
        execute("PRAGMA synchronous=FULL")
        (version,) = execute("PRAGMA user_version").fetchone()
        if version not in {0, _FORMAT}:
            self._database.close()
            raise ConfigurationError(
                f"cannot use {self._path}: its format is {version}, this program knows {_FORMAT}; use a newer program"
            )
        execute("BEGIN IMMEDIATE")
        for statement in _SCHEMA.split(";"):
            execute(statement)
        execute(f"PRAGMA user_version={_FORMAT}")
        execute("COMMIT")

    def load(self) -> tuple[int, Iterable[StoredRow]]:
        (revision,) = self._database.execute("SELECT revision FROM state").fetchone()
        rows = self._database.execute(
            "SELECT grp, resource, namespace, name, revision, raw FROM objects ORDER BY grp, resource, namespace, name"
        )
        return revision, _rows(rows)

    def commit(self, writes: Sequence[JournalWrite]) -> None:
        try:
            self._commit(writes)
        except sqlite3.Error as error:
            # Full, gone, or read-only by now: whatever it is, the client shall hear it, and what is stored stays.
            raise internal_error(f"cannot write to {self._path}: {error}") from error

    def _commit(self, writes: Sequence[JournalWrite]) -> None:
        execute = self._database.execute
        execute("BEGIN IMMEDIATE")
        try:
            for revision, resource, key, raw in writes:
                if raw is None:
                    execute(_DELETE, (*resource, *key))
                else:
                    execute(_WRITE, (*resource, *key, revision, raw))
            execute("UPDATE state SET revision=?", (writes[-1].revision,))
            execute("COMMIT")
        except BaseException:
            if self._database.in_transaction:
                execute("ROLLBACK")
            raise

    def close(self) -> None:
        self._database.close()


def _rows(found: Iterable[tuple[str, str, str, str, int, bytes]]) -> Iterator[StoredRow]:
    resource = GroupResource("", "")
    # Of the texts that repeat in every row one copy is enough.
    namespaces: dict[str, str] = {}
    for group, plural, namespace, name, revision, raw in found:
        if (group, plural) != resource:
            resource = GroupResource(group, plural)
        yield StoredRow(resource, Key(namespaces.setdefault(namespace, namespace), name), revision, raw)


def _unusable(path: Path, error: sqlite3.Error) -> ConfigurationError:
    if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
        return ConfigurationError(f"cannot use {path}: another server is running on it; stop that one first")
    return ConfigurationError(f"cannot use {path}: {error}; it must be a database that can be read and written")
