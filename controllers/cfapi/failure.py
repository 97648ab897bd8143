"""Why a request is turned down, in the codes that wrangler knows."""

AUTHENTICATION = 10000
BAD_JSON = 10001
WORKER_ABSENT = 10007
UNAVAILABLE = 10013
SCRIPT_REJECTED = 10021
TOO_LARGE = 10027
BAD_SECRET = 10053
SECRET_ABSENT = 10056
INHERITED_BINDING_ABSENT = 10057
WORKER_IN_USE = 10064
SERVICE_ABSENT = 10090
NO_VERSIONS = 10222
UNSUPPORTED = 10400
NO_ROUTE = 7003


class CfError(Exception):
    """Becomes the answer; its text is for the person at the terminal, and never holds a secret."""

    def __init__(self, status: int, code: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message


def unauthenticated() -> CfError:
    return CfError(401, AUTHENTICATION, "Authentication error")


def forbidden(why: str) -> CfError:
    return CfError(403, AUTHENTICATION, f"Authentication error: {why}")


def no_route(path: str) -> CfError:
    return CfError(404, NO_ROUTE, f"Could not route to {path}, perhaps your object identifier is invalid?")


def no_account(account: str) -> CfError:
    return CfError(
        404, NO_ROUTE, f"there is no account {account!r} here; an operator makes a WorkerAccount of that name"
    )


def bad_json(why: str) -> CfError:
    return CfError(400, BAD_JSON, f"the body cannot be read: {why}")


def rejected(why: str) -> CfError:
    return CfError(400, SCRIPT_REJECTED, why)


def too_large(why: str) -> CfError:
    return CfError(413, TOO_LARGE, why)


def unsupported(what: str) -> CfError:
    return CfError(400, UNSUPPORTED, f"{what} is not supported on this platform")


def worker_absent(script: str) -> CfError:
    return CfError(404, WORKER_ABSENT, f"This Worker does not exist on your account: {script}")


def service_absent(script: str) -> CfError:
    return CfError(404, SERVICE_ABSENT, f"This service does not exist on your account: {script}")


def version_absent(version_id: str) -> CfError:
    return CfError(404, WORKER_ABSENT, f"there is no version {version_id!r} of this Worker")


def unavailable(why: str, status: int = 503) -> CfError:
    return CfError(status, UNAVAILABLE, f"{why}; try again")
