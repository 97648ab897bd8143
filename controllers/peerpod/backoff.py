"""When to try again, and what the condition says until then: one row for each class of failure."""

from controllers.peerpod.provider import AuthFailed, Busy, Permanent, ProviderError, SettingsMissing, Throttled
from framework.randomness import Random

IN_PROGRESS, THROTTLED, PROVIDER_ERROR = "InProgress", "Throttled", "ProviderError"
CREDENTIALS_INVALID, SETTINGS_MISSING = "CredentialsInvalid", "SettingsMissing"
_FIVE_MINUTES, _TEN_MINUTES = 300.0, 600.0
_JITTER = 0.2
# Doubled more often than that, every delay has reached its greatest.
_MOST_DOUBLINGS = 10


def reason_of(error: ProviderError) -> str:
    match error:
        case Permanent():
            return error.reason
        case Throttled():
            return THROTTLED
        case Busy():
            return IN_PROGRESS
        case AuthFailed():
            return CREDENTIALS_INVALID
        case SettingsMissing():
            return SETTINGS_MISSING
        case _:
            return PROVIDER_ERROR


def seconds_after(error: ProviderError, failures: int, random: Random) -> float:
    """*failures* of this PeerPod came before this one."""
    doubled = 2.0 ** min(failures, _MOST_DOUBLINGS)
    match error:
        case Permanent():
            return _TEN_MINUTES
        case Throttled():
            seconds = min(max(error.after_seconds, 5.0 * doubled), _FIVE_MINUTES)
            return seconds * random.uniform(1 - _JITTER, 1 + _JITTER)
        case Busy():
            return error.after_seconds
        case AuthFailed() | SettingsMissing():
            return min(60.0 * doubled, _TEN_MINUTES)
        case _:
            return min(2.0 * doubled, _FIVE_MINUTES)
