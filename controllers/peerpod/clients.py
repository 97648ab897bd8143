"""Clients of clouds that can be used again: one for each set of settings."""

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256

import msgspec
import structlog

from controllers.peerpod.provider import CloudProvider, ProviderError, Transient
from framework.runtime import Runtime

MOST_CLIENTS = 8

_log = structlog.get_logger("windlass.peerpod")


def fingerprint(provider: type[CloudProvider], settings: Mapping[str, str]) -> str:
    """Of the settings that count; who knows it knows none of them."""
    relevant = {key: settings[key] for key in provider.settings_keys if key in settings}
    return sha256(msgspec.json.encode([provider.name, sorted(relevant.items())])).hexdigest()


class _Entry:
    def __init__(self, client: CloudProvider) -> None:
        self.client = client
        self.users = 0
        self.is_dropped = False
        self.is_closed = False


class Clients:
    """The most recently used ones; one that goes is closed as soon as nobody uses it."""

    def __init__(self, runtime: Runtime, most: int = MOST_CLIENTS) -> None:
        self._lock = runtime.lock()
        self._most = most
        # Invariant: an entry that is in here is not dropped, and one that is dropped is closed with its last user.
        self._entries: OrderedDict[str, _Entry] = OrderedDict()
        # Where settings came from, and which client they had: with other credentials the old one is of no use.
        self._by_origin: dict[str, str] = {}

    @contextmanager
    def lease(
        self, provider: type[CloudProvider], settings: Mapping[str, str], origin: str = ""
    ) -> Iterator[CloudProvider]:
        """What the provider's constructor raises, if there is no client yet."""
        entry = self._enter(provider, settings, origin)
        try:
            yield entry.client
        finally:
            self._leave(entry)

    def drop(self, key: str) -> None:
        """Use no client of this fingerprint again."""
        with self._lock:
            unused = self._take_out(key)
        _close(unused)

    def close_now(self, key: str) -> None:
        """Also if somebody waits for its answer: he has given up."""
        with self._lock:
            entry = self._entries.pop(key, None)
            if entry is not None:
                entry.is_dropped = True
        _close(entry)

    def _enter(self, provider: type[CloudProvider], settings: Mapping[str, str], origin: str) -> _Entry:
        key = fingerprint(provider, settings)
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                entry = self._entries[key] = _Entry(_made(provider, settings))
            entry.users += 1
            self._entries.move_to_end(key)
            unused = [self._forget_former(origin, key)]
            while len(self._entries) > self._most:
                unused.append(self._take_out(next(iter(self._entries))))
        for each in unused:
            _close(each)
        return entry

    def _forget_former(self, origin: str, key: str) -> _Entry | None:
        former = self._by_origin.get(origin)
        self._by_origin[origin] = key
        if former is None or former == key or former in self._by_origin.values():
            return None
        return self._take_out(former)

    def _take_out(self, key: str) -> _Entry | None:
        """The entry, if nobody uses it; else its last user closes it."""
        entry = self._entries.pop(key, None)
        for origin in [each for each, used in self._by_origin.items() if used == key]:
            del self._by_origin[origin]
        if entry is None:
            return None
        entry.is_dropped = True
        return None if entry.users else entry

    def _leave(self, entry: _Entry) -> None:
        with self._lock:
            entry.users -= 1
            is_last = entry.is_dropped and entry.users == 0
        if is_last:
            _close(entry)


def _made(provider: type[CloudProvider], settings: Mapping[str, str]) -> CloudProvider:
    try:
        return provider(settings)
    except ProviderError:
        raise
    except Exception as error:  # noqa: BLE001 - a plugin is foreign code, and its traceback may hold a secret
        raise Transient(f"{type(error).__name__}: {error}") from None


def _close(entry: _Entry | None) -> None:
    if entry is None or entry.is_closed:
        return
    entry.is_closed = True
    try:
        entry.client.close()
    except Exception as error:  # noqa: BLE001 - a plugin is foreign code, and this client is not used again
        _log.warning("provider_not_closed", provider=entry.client.name, kind=type(error).__name__)
