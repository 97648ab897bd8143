"""One request that a reconcile made of the API server."""

import msgspec

from framework.client import Access

_LONGEST_ERROR = 2000
_VERBS_WITHOUT_OBJECT = frozenset({"list", "delete", "deletecollection"})


class _Metadata(msgspec.Struct, rename="camel", frozen=True, gc=False):
    resource_version: str = ""


class _Envelope(msgspec.Struct, gc=False):
    metadata: _Metadata = _Metadata()


_decoder = msgspec.json.Decoder(_Envelope)


class Call(msgspec.Struct, frozen=True, gc=False):
    verb: str
    resource: str
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    # That a write was made conditional on; empty: none.
    old_version: str = ""
    # Of the object as the server answered it; empty for a list, a deletion and a failure.
    version: str = ""
    error: str = ""

    @property
    def is_read(self) -> bool:
        return self.verb in {"get", "list", "watch"}


def answered_call(access: Access, answer: bytes) -> Call:
    version = "" if access.verb in _VERBS_WITHOUT_OBJECT else _version_in(answer)
    return _call(access, version=version)


def failed_call(access: Access, error: Exception) -> Call:
    return _call(access, error=error_text(error))


def _call(access: Access, *, version: str = "", error: str = "") -> Call:
    return Call(
        access.verb,
        access.resource_type.name,
        access.subresource,
        access.namespace,
        access.name,
        access.resource_version,
        version,
        error,
    )


def error_text(error: BaseException) -> str:
    """One line, as it is: taking out what looks like a credential, as a report does, would make failures expensive."""
    try:
        text = " ".join(str(error).split())
    except Exception:  # noqa: BLE001 - an exception is foreign code
        text = ""
    return f"{type(error).__name__}: {text}"[:_LONGEST_ERROR] if text else type(error).__name__


def _version_in(answer: bytes) -> str:
    try:
        return _decoder.decode(answer).metadata.resource_version
    except msgspec.MsgspecError:
        # Whatever it was, it is not for a journal to complain about.
        return ""
