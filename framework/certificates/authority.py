"""Issues certificates."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Self

from framework.certificates.key_pair import KeyPair
from framework.clock import Clock
from framework.loading import LOADING

AUTHORITY_LIFETIME = timedelta(days=3650)
LIFETIME = timedelta(days=365)
# Clients whose clocks are behind must not find a new certificate to be of the future.
_SKEW = timedelta(hours=1)


class Authority:
    """Signs with one key, for as long as its own certificate is valid."""

    def __init__(self, pair: KeyPair, *, clock: Clock) -> None:
        self._pair = pair
        self._clock = clock

    @classmethod
    def create(
        cls, common_name: str = "windlass-ca", *, clock: Clock, lifetime: timedelta = AUTHORITY_LIFETIME
    ) -> Self:
        with LOADING:
            from framework.certificates import signing

        return cls(signing.self_signed(common_name, _from_now(clock, lifetime)), clock=clock)

    @property
    def pair(self) -> KeyPair:
        return self._pair

    @property
    def certificate(self) -> bytes:
        """What clients need to trust the servers of this authority, as PEM."""
        return self._pair.certificate

    def issue_server(self, hosts: Sequence[str], lifetime: timedelta = LIFETIME) -> KeyPair:
        """For a server that is reached under the names and addresses *hosts*, of which there is at least one."""
        with LOADING:
            from framework.certificates import signing

        return signing.server(self._pair, hosts, _from_now(self._clock, lifetime))

    def issue_client(self, common_name: str, organizations: Sequence[str] = ()) -> KeyPair:
        """For the user *common_name* in the groups *organizations*."""
        with LOADING:
            from framework.certificates import signing

        return signing.client(self._pair, common_name, organizations, _from_now(self._clock, LIFETIME))


def _from_now(clock: Clock, lifetime: timedelta) -> tuple[datetime, datetime]:
    now = clock.now()
    return now - _SKEW, now + lifetime
