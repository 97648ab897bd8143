"""What a server says when it does not do what it was asked."""

from typing import Any

import msgspec

from framework.testing.simulation.plan import Fault

_REASONS = {
    401: "Unauthorized",
    403: "Forbidden",
    409: "Conflict",
    410: "Expired",
    429: "TooManyRequests",
    500: "InternalError",
    503: "ServiceUnavailable",
    504: "Timeout",
}
# A server that is asked for a version which it has not seen yet.
_TOO_LARGE = {"reason": "ResourceVersionTooLarge", "message": "Too large resource version"}
_TIMEOUT = 504


def refusal_of(fault: Fault) -> tuple[dict[str, str], bytes]:
    """Header fields and body, a whole metav1.Status."""
    status: dict[str, Any] = {
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Failure",
        "message": "the fault plan wants it so",
        "reason": _REASONS.get(fault.code, ""),
        "code": fault.code,
    }
    if fault.code == _TIMEOUT:
        status["details"] = {"causes": [_TOO_LARGE], "retryAfterSeconds": 1}
    headers = {"content-type": "application/json"}
    if fault.seconds:
        headers["retry-after"] = f"{fault.seconds:g}"
    return headers, msgspec.json.encode(status)
