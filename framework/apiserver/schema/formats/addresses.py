"""IP addresses, networks and hardware addresses as Go's net package parses them."""

import re

_IPV4_BYTES = 4
_LARGEST_BYTE = 255
_IPV6_BITS = 128
_IPV6_GROUPS = 8

_is_group = re.compile("[0-9a-fA-F]{1,4}").fullmatch
_is_colon_mac = re.compile(r"[0-9a-fA-F]{2}(:[0-9a-fA-F]{2})+").fullmatch
_is_dash_mac = re.compile(r"[0-9a-fA-F]{2}(-[0-9a-fA-F]{2})+").fullmatch
_is_dotted_mac = re.compile(r"[0-9a-fA-F]{4}(\.[0-9a-fA-F]{4})+").fullmatch
_is_plain_mac = re.compile("([0-9a-fA-F]{2})+").fullmatch
_MAC_BYTES = (6, 8, 20)


def is_ipv4(text: str) -> bool:
    """Whether *text* is an IP address with a dot in it; leading zeros are fine."""
    return "." in text and _ip_bits(text, allow_zeros=True) != 0


def is_ipv6(text: str) -> bool:
    return ":" in text and _is_ipv6_address(text, allow_zeros=False)


def is_cidr(text: str) -> bool:
    address, found, length = text.partition("/")
    bits = _ip_bits(address, allow_zeros=True)
    return bool(found and bits and re.fullmatch("[0-9]{1,3}", length)) and int(length) <= bits


def is_mac(text: str) -> bool:
    if _is_colon_mac(text) or _is_dash_mac(text):
        return (len(text) + 1) // 3 in _MAC_BYTES
    if _is_dotted_mac(text):
        return (len(text) + 1) // 5 * 2 in _MAC_BYTES
    return _is_plain_mac(text) is not None and len(text) // 2 in _MAC_BYTES


def _ip_bits(text: str, *, allow_zeros: bool) -> int:
    """The size of the address in bits, 0 for what is none."""
    for character in text:
        if character == ".":
            return 8 * _IPV4_BYTES if _is_ipv4_address(text, allow_zeros=allow_zeros) else 0
        if character == ":":
            return _IPV6_BITS if _is_ipv6_address(text, allow_zeros=allow_zeros) else 0
    return 0


def _is_ipv4_address(text: str, *, allow_zeros: bool) -> bool:
    parts = text.split(".")
    return len(parts) == _IPV4_BYTES and all(_is_byte(part, allow_zeros=allow_zeros) for part in parts)


def _is_byte(part: str, *, allow_zeros: bool) -> bool:
    if not (part.isascii() and part.isdigit()) or (not allow_zeros and len(part) > 1 and part[0] == "0"):
        return False
    return int(part) <= _LARGEST_BYTE


def _is_ipv6_address(text: str, *, allow_zeros: bool) -> bool:
    head, is_shortened, tail = text.partition("::")
    if "::" in tail:
        return False
    groups = [part for side in (head, tail) if side for part in side.split(":")]
    count = len(groups)
    if groups and "." in groups[-1] and (tail or not is_shortened):
        if not _is_ipv4_address(groups.pop(), allow_zeros=allow_zeros):
            return False
        count += 1
    if not all(_is_group(group) for group in groups):
        return False
    return count < _IPV6_GROUPS if is_shortened else count == _IPV6_GROUPS
