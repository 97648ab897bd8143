"""How long certificates live, and when they are replaced."""

from datetime import timedelta

import msgspec

from apis.meta import Key
from framework.errors import ConfigurationError


class CertificateOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Of certificates that a manager issues itself."""

    # Where they are kept; without a name, in a Secret named after the webhook configurations.
    secret: Key = Key("", "")
    # Names and addresses beyond those that follow from the service or the URL.
    hosts: tuple[str, ...] = ()
    authority_lifetime: timedelta = timedelta(days=730)
    # When this much of its life is left, the next authority is made and told to the API server.
    authority_renewed_before: timedelta = timedelta(days=90)
    lifetime: timedelta = timedelta(days=90)
    renewed_before: timedelta = timedelta(days=30)
    # How long everybody must have been told to trust an authority before anything it issued is shown to them.
    trust_seconds: float = 60.0
    # How long the one before is still trusted after that.
    overlap: timedelta = timedelta(days=1)
    # How often a replica looks whether another one, or anybody else, has changed something.
    poll_seconds: float = 10.0


def check_options(options: CertificateOptions) -> None:
    """Raises ConfigurationError for durations with which a rotation would never end, or never begin in time."""
    if options.renewed_before >= options.lifetime:
        raise ConfigurationError("certificates: renewed_before must be shorter than lifetime")
    if options.authority_renewed_before >= options.authority_lifetime:
        raise ConfigurationError("certificates: authority_renewed_before must be shorter than authority_lifetime")
    if timedelta(seconds=options.trust_seconds) >= options.authority_renewed_before:
        raise ConfigurationError("certificates: trust_seconds must be shorter than authority_renewed_before")
