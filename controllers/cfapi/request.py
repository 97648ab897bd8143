"""One request of a known client, as endpoints see it."""

from collections.abc import Callable, Mapping
from typing import TypeVar

import msgspec

from apis.cfworker.workeraccount import WorkerAccount
from controllers.cfapi import failure
from controllers.cfapi.envelope import Reply
from controllers.cfapi.tokens import Identity
from framework.http.exchange import Answer

T = TypeVar("T")
_TRUE = frozenset({"true", "1"})
_MAX_JSON_BYTES = 8 * 1024 * 1024


class CfRequest(msgspec.Struct, frozen=True, kw_only=True):
    method: str
    identity: Identity
    # What stands in the path in place of {names}, decoded and, for accounts and scripts, checked.
    parameters: Mapping[str, str]
    query: Mapping[str, str] = {}
    content_type: str = ""
    body: bytes = b""
    # Of the path; None where there is none in it.
    found_account: WorkerAccount | None = None

    def __repr__(self) -> str:
        # A body may hold secrets.
        return f"CfRequest({self.method}, {dict(self.parameters)})"

    @property
    def account(self) -> WorkerAccount:
        if self.found_account is None:
            raise LookupError("this route has no account in its path")
        return self.found_account

    @property
    def account_name(self) -> str:
        return self.account.metadata.name

    @property
    def script(self) -> str:
        return self.parameters["script"]

    def is_set(self, name: str) -> bool:
        return self.query.get(name, "").lower() in _TRUE

    def json(self, kind: type[T]) -> T:
        """The body; raises what to answer if it is something else."""
        return decoded(self.body, kind)


Endpoint = Callable[[CfRequest], Reply | Answer]


def decoded(text: bytes, kind: type[T]) -> T:
    """JSON of that kind; raises what to answer, which repeats nothing of *text*."""
    if len(text) > _MAX_JSON_BYTES:
        raise failure.too_large(f"the body has more than {_MAX_JSON_BYTES} bytes")
    try:
        return msgspec.json.decode(text, type=kind)
    except msgspec.ValidationError as error:
        raise failure.bad_json(str(error)) from None
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        raise failure.bad_json("it is not JSON") from None
