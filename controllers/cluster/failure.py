"""What a probe that failed says about the cluster."""

import msgspec

from controllers.cluster.reasons import FORBIDDEN, INVALID_CONFIG, TLS_FAILED, UNAUTHORIZED, UNREACHABLE
from framework.errors import ConfigurationError, Forbidden, TlsError, Unauthorized, WindlassError
from framework.log import without_secrets


class Failure(msgspec.Struct, frozen=True):
    reason: str
    message: str

    @property
    def may_pass(self) -> bool:
        """Whether it may be a matter of seconds; all others last until somebody does something."""
        return self.reason == UNREACHABLE


def failure_of(error: WindlassError | None) -> Failure:
    match error:
        case Unauthorized():
            # Not the server's words: they say no more, and might repeat what was sent.
            return Failure(UNAUTHORIZED, "the server does not accept the credentials (401)")
        case TlsError():
            return Failure(TLS_FAILED, _text(error))
        case Forbidden():
            return Failure(FORBIDDEN, _text(error))
        case ConfigurationError():
            return Failure(INVALID_CONFIG, _text(error))
        case _:
            return Failure(UNREACHABLE, f"it cannot be asked: {_text(error)}")


def _text(error: WindlassError | None) -> str:
    return "nothing is known" if error is None else str(without_secrets(" ".join(str(error).split())))
