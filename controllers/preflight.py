"""What a process finds out before it begins, so that a mistake is one clear line and not a process that hangs."""

from apis.core.v1 import Namespace
from apis.meta import Key
from framework.client import Client
from framework.errors import Forbidden, NotFound, TlsError, TransportError, Unauthorized, WindlassError


def check_reachable(client: Client) -> None:
    try:
        client.raw_get("/version")
    except Unauthorized:
        server = client.connection.server
        raise WindlassError(f"{server} does not accept the credentials: is the token expired?") from None
    except TlsError as error:
        raise WindlassError(f"the API server's certificate is not accepted: {error}") from None
    except TransportError as error:
        raise WindlassError(f"the API server cannot be reached: {error}") from None
    except Forbidden:
        # It knows us and may forbid even this; what really matters will say so.
        return


def check_namespace(client: Client, name: str) -> None:
    try:
        namespace = client.get(Namespace, Key("", name))
    except NotFound:
        raise WindlassError(f"namespace {name!r} does not exist; create it or choose another with -namespace") from None
    except Forbidden:
        # Whoever may write in a namespace need not be allowed to look at it.
        return
    if namespace.metadata.is_being_deleted:
        raise WindlassError(f"namespace {name!r} is being deleted; wait, or choose another with -namespace")
