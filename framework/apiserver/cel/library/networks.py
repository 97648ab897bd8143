"""IP addresses and networks."""

from collections.abc import Callable
from ipaddress import AddressValueError, IPv4Address, IPv6Address, ip_address
from typing import Any

from framework.apiserver.cel.declarations import function, member
from framework.apiserver.cel.errors import CelError
from framework.apiserver.cel.values import Opaque

Address = IPv4Address | IPv6Address


class IP(Opaque):
    __slots__ = ("address",)
    type_name = "net.IP"

    def __init__(self, address: Address) -> None:
        self.address = address

    def __eq__(self, other: object) -> bool:
        return isinstance(other, IP) and self.address == other.address

    def __hash__(self) -> int:
        return hash(self.address)

    def __str__(self) -> str:
        return str(self.address)


class CIDR(Opaque):
    """An address with the length of its network's prefix; the host's bits are kept."""

    __slots__ = ("address", "length")
    type_name = "net.CIDR"

    def __init__(self, address: Address, length: int) -> None:
        self.address = address
        self.length = length

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CIDR) and (self.address, self.length) == (other.address, other.length)

    def __hash__(self) -> int:
        return hash((self.address, self.length))

    def __str__(self) -> str:
        return f"{self.address}/{self.length}"

    @property
    def masked(self) -> "CIDR":
        spare = self.address.max_prefixlen - self.length
        return CIDR(type(self.address)(int(self.address) >> spare << spare), self.length)

    def contains(self, address: Address) -> bool:
        if type(address) is not type(self.address):
            return False
        spare = self.address.max_prefixlen - self.length
        return int(address) >> spare == int(self.address) >> spare


def _parse_address(text: str) -> Address:
    try:
        address = ip_address(text)
    except (AddressValueError, ValueError):
        raise CelError(
            f'IP Address "{text}" parse error during conversion from string: ParseAddr("{text}"): unable to parse IP'
        ) from None
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        raise CelError(f'IP address "{text}" with zone value is not allowed')
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        raise CelError(f'IPv4-mapped IPv6 address "{text}" is not allowed')
    return address


def _ip(text: str) -> IP:
    return IP(_parse_address(text))


def _cidr(text: str) -> CIDR:
    doubled = "network address parse error during conversion from string: "
    host, slash, length = text.rpartition("/")
    if not slash:
        raise CelError(f"{doubled}{doubled}netip.ParsePrefix(\"{text}\"): no '/'")
    try:
        address = ip_address(host)
    except (AddressValueError, ValueError):
        raise CelError(
            f'{doubled}{doubled}netip.ParsePrefix("{text}"): ParseAddr("{host}"): unable to parse IP'
        ) from None
    if isinstance(address, IPv6Address) and address.scope_id is not None:
        raise CelError(f'{doubled}{doubled}netip.ParsePrefix("{text}"): IPv6 zones cannot be present in a prefix')
    is_number = length.isascii() and length.isdigit() and (length == "0" or not length.startswith("0"))
    if not is_number:
        raise CelError(f'{doubled}{doubled}netip.ParsePrefix("{text}"): bad bits after slash: "{length}"')
    if int(length) > address.max_prefixlen:
        raise CelError(f'{doubled}{doubled}netip.ParsePrefix("{text}"): prefix length out of range')
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        raise CelError(f'{doubled}IPv4-mapped IPv6 address "{text}" is not allowed')
    return CIDR(address, int(length))


def _succeeds(parse: Callable[[str], Any]) -> Callable[[str], bool]:
    def test(text: str) -> bool:
        try:
            parse(text)
        except CelError:
            return False
        return True

    return test


def _is_link_local_multicast(ip: IP) -> bool:
    packed = ip.address.packed
    if ip.address.version == 4:  # noqa: PLR2004 - 224.0.0.0/24
        return packed[:3] == b"\xe0\x00\x00"
    return packed[0] == 0xFF and packed[1] & 0x0F == 0x02  # noqa: PLR2004 - ff02::/16


def _is_global_unicast(ip: IP) -> bool:
    address = ip.address
    is_broadcast = isinstance(address, IPv4Address) and int(address) == 0xFFFFFFFF  # noqa: PLR2004 - 255.255.255.255
    return not (
        is_broadcast or address.is_unspecified or address.is_loopback or address.is_multicast or address.is_link_local
    )


def _contains_cidr(network: CIDR, other: CIDR) -> bool:
    return network.length <= other.length and network.contains(other.address)


OVERLOADS = (
    function("ip(string) -> IP", _ip),
    function("isIP(string) -> bool", _succeeds(_ip)),
    function("ip.isCanonical(string) -> bool", lambda text: str(_ip(text)) == text),
    function("string(IP) -> string", str),
    member("IP.family() -> int", lambda ip: ip.address.version),
    member("IP.isUnspecified() -> bool", lambda ip: ip.address.is_unspecified),
    member("IP.isLoopback() -> bool", lambda ip: ip.address.is_loopback),
    member("IP.isLinkLocalMulticast() -> bool", _is_link_local_multicast),
    member("IP.isLinkLocalUnicast() -> bool", lambda ip: ip.address.is_link_local),
    member("IP.isGlobalUnicast() -> bool", _is_global_unicast),
    function("cidr(string) -> CIDR", _cidr),
    function("isCIDR(string) -> bool", _succeeds(_cidr)),
    function("string(CIDR) -> string", str),
    member("CIDR.containsIP(string) -> bool", lambda network, text: network.contains(_parse_address(text))),
    member("CIDR.containsIP(IP) -> bool", lambda network, ip: network.contains(ip.address)),
    member("CIDR.containsCIDR(string) -> bool", lambda network, text: _contains_cidr(network, _cidr(text))),
    member("CIDR.containsCIDR(CIDR) -> bool", _contains_cidr),
    member("CIDR.ip() -> IP", lambda network: IP(network.address)),
    member("CIDR.prefixLength() -> int", lambda network: network.length),
    member("CIDR.masked() -> CIDR", lambda network: network.masked),
)
