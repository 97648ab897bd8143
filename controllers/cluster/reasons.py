"""Why a Cluster is ready, or not."""

from controllers.reporting.observation import Observation

READY = "Ready"
CLUSTER_READY, PROBING = "ClusterReady", "Probing"
SPEC_MISSING, INVALID_CONFIG, FORBIDDEN_CONFIG = "SpecMissing", "InvalidClientConfig", "ForbiddenClientConfig"
UNREACHABLE, TLS_FAILED, UNAUTHORIZED, FORBIDDEN = "Unreachable", "TLSVerificationFailed", "Unauthorized", "Forbidden"
IDENTITY_CHANGED = "IdentityChanged"
PROBLEMS = frozenset(
    {
        SPEC_MISSING,
        INVALID_CONFIG,
        FORBIDDEN_CONFIG,
        UNREACHABLE,
        TLS_FAILED,
        UNAUTHORIZED,
        FORBIDDEN,
        IDENTITY_CHANGED,
    }
)


def not_ready(reason: str, message: str) -> Observation:
    return Observation(READY, "False", reason, message)
