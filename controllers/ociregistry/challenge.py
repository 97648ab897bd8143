"""What a registry asks for when it says 401: a password, or a token and where to get it."""

import msgspec
from requests.utils import parse_dict_header


class Challenge(msgspec.Struct, frozen=True):
    scheme: str
    realm: str = ""
    service: str = ""
    scopes: tuple[str, ...] = ()


def parse_challenge(header: str) -> Challenge | None:
    """The first challenge of the header WWW-Authenticate that we can answer."""
    scheme, _, parameters = header.strip().partition(" ")
    if scheme.lower() not in {"basic", "bearer"}:
        return None
    values = {name.lower(): value or "" for name, value in parse_dict_header(parameters).items()}
    return Challenge(
        scheme=scheme.lower(),
        realm=values.get("realm", ""),
        service=values.get("service", ""),
        scopes=tuple(values.get("scope", "").split()),
    )
