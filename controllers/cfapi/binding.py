"""From the bindings of an upload to those of a version, its secrets and its blobs."""

from collections.abc import Callable, Collection, Mapping, Sequence

import msgspec

from apis.cfworker.script import Binding, BindingType
from controllers.cfapi import failure
from controllers.cfapi.metadata import BindingInput
from controllers.cfapi.secret_names import check_secret
from controllers.cfapi.version_tag import VersionTag

_LONGEST_NAME = 128
_LONGEST_VALUE = 32768
_MOST_BINDINGS = 256
_BLOBS = ("wasm_module", "text_blob", "data_blob")
_KEPT_TYPES = frozenset({BindingType.PLAIN_TEXT, BindingType.JSON})


class BlobBinding(msgspec.Struct, frozen=True):
    """A part of the upload that a script of the service worker format finds in its environment."""

    name: str
    type: str
    part: str


class Resolved(msgspec.Struct, frozen=True):
    bindings: list[Binding]
    # Their values are secret.
    secrets: Mapping[str, str]
    blobs: list[BlobBinding]

    def __repr__(self) -> str:
        return f"Resolved({[binding.name for binding in self.bindings]}, secrets={sorted(self.secrets)})"


class Previous(msgspec.Struct, frozen=True):
    """What an upload can take over: the bindings of the latest version, and the names of the secrets."""

    bindings: Sequence[Binding] = ()
    secret_names: Collection[str] = ()


class _Resolving:
    def __init__(self, previous: Previous, tag: VersionTag) -> None:
        self._before = {binding.name: binding for binding in previous.bindings}
        self._secret_names = previous.secret_names
        self._tag = tag
        self.bindings: dict[str, Binding] = {}
        self.secrets: dict[str, str] = {}
        self.blobs: list[BlobBinding] = []
        self._readers: Mapping[str, Callable[[BindingInput], None]] = {
            "plain_text": self._plain_text,
            "json": self._json,
            "service": self._service,
            "version_metadata": self._version_metadata,
            "secret_text": self._secret_text,
            "inherit": self._inherit,
            **dict.fromkeys(_BLOBS, self._blob),
        }

    def add(self, given: BindingInput) -> None:
        if not 1 <= len(given.name) <= _LONGEST_NAME or not given.name.isprintable():
            raise failure.rejected(f"a binding's name has 1 to {_LONGEST_NAME} printable characters")
        read = self._readers.get(given.type)
        if read is None:
            raise failure.unsupported(f"binding {given.name!r} of type {given.type!r}")
        read(given)

    def _plain_text(self, given: BindingInput) -> None:
        self._put(Binding(name=given.name, type=BindingType.PLAIN_TEXT, text=_short(given, given.text or "")))

    def _json(self, given: BindingInput) -> None:
        text = msgspec.json.encode(given.json).decode()
        self._put(Binding(name=given.name, type=BindingType.JSON, json=_short(given, text)))

    def _service(self, given: BindingInput) -> None:
        if not given.service:
            raise failure.rejected(f"binding {given.name!r} names no service")
        if given.environment not in {None, "", "production"}:
            raise failure.unsupported(f"binding {given.name!r} to environment {given.environment!r}")
        entrypoint = given.entrypoint or ""
        self._put(Binding(name=given.name, type=BindingType.SERVICE, service=given.service, entrypoint=entrypoint))

    def _version_metadata(self, given: BindingInput) -> None:
        self._put(Binding(name=given.name, type=BindingType.VERSION_METADATA, json=self._tag.as_json()))

    def _secret_text(self, given: BindingInput) -> None:
        # Without a text it names a secret that is there already.
        if given.text is None:
            self._inherit_secret(given.name)
            return
        check_secret(given.name, given.text)
        self.secrets[given.name] = given.text

    def _inherit(self, given: BindingInput) -> None:
        before = self._before.get(given.old_name or given.name)
        if before is None:
            self._inherit_secret(given.name)
        elif before.type is BindingType.VERSION_METADATA:
            self._version_metadata(given)
        else:
            self._put(msgspec.structs.replace(before, name=given.name))

    def _inherit_secret(self, name: str) -> None:
        # Secrets survive an upload anyway.
        if name not in self._secret_names:
            raise failure.CfError(
                400, failure.INHERITED_BINDING_ABSENT, f"binding {name!r} is to be inherited, but there is none before"
            )

    def _blob(self, given: BindingInput) -> None:
        if not given.part:
            raise failure.rejected(f"binding {given.name!r} names no part")
        self.blobs.append(BlobBinding(given.name, given.type, given.part))

    def _put(self, binding: Binding) -> None:
        self.bindings[binding.name] = binding

    def keep(self, types: Collection[str]) -> None:
        for binding in self._before.values():
            if binding.type in _KEPT_TYPES and binding.type in types and binding.name not in self.bindings:
                self._put(binding)

    def check_names(self) -> None:
        secrets = {*self._secret_names, *self.secrets}
        plain = [*self.bindings, *(blob.name for blob in self.blobs)]
        if taken := sorted(secrets.intersection(plain)):
            message = f"binding {taken[0]!r} has the name of a secret; delete the secret, or rename one of them"
            raise failure.CfError(400, failure.BAD_SECRET, message)
        if len(plain) != len(set(plain)):
            raise failure.rejected("two bindings have the same name")
        if len(plain) > _MOST_BINDINGS:
            raise failure.rejected(f"there are more than {_MOST_BINDINGS} bindings")


def resolve_bindings(
    given: Sequence[BindingInput], keep_types: Collection[str], previous: Previous, tag: VersionTag
) -> Resolved:
    """Raises what to answer if a binding cannot be."""
    names = [binding.name for binding in given]
    if len(names) != len(set(names)):
        twice = next(name for name in names if names.count(name) > 1)
        raise failure.rejected(f"there are two bindings named {twice!r}")
    resolving = _Resolving(previous, tag)
    for binding in given:
        resolving.add(binding)
    resolving.keep(keep_types)
    resolving.check_names()
    return Resolved(list(resolving.bindings.values()), resolving.secrets, resolving.blobs)


def _short(given: BindingInput, text: str) -> str:
    if len(text) > _LONGEST_VALUE:
        raise failure.rejected(f"binding {given.name!r} has more than {_LONGEST_VALUE} characters")
    return text
