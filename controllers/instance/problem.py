"""Why an Instance cannot be deployed."""

from framework.errors import WindlassError

RETRY_SECONDS = 60.0


class NotDeployable(WindlassError):
    """Somebody must do something first: the reason and message of a condition, and when to try again."""

    def __init__(self, reason: str, message: str, retry_seconds: float = RETRY_SECONDS) -> None:
        super().__init__(message)
        self.reason = reason
        self.retry_seconds = retry_seconds
