"""An address for each pod."""

import ipaddress

from apis.meta import Key

_NETWORK = ipaddress.ip_network("10.244.0.0/16")
_FIRST = 2


class PodAddresses:
    """Gives every pod an address that no other has now; the most recently freed come last."""

    def __init__(self) -> None:
        # Invariant: _used holds exactly the values of _by_key.
        self._by_key: dict[Key, str] = {}
        self._used: set[str] = set()
        self._next = _FIRST

    def note(self, key: Key, address: str) -> None:
        """Remember what a pod has already; "" if it has none any more."""
        self._used.discard(self._by_key.pop(key, ""))
        if address:
            self._by_key[key] = address
            self._used.add(address)

    def take(self, key: Key) -> str:
        for _ in range(_NETWORK.num_addresses):
            address = str(_NETWORK[self._next])
            self._next = max(_FIRST, (self._next + 1) % (_NETWORK.num_addresses - 1))
            if address not in self._used:
                self.note(key, address)
                return address
        # More pods than addresses: one that is used twice is better than none.
        return str(_NETWORK[_FIRST])
