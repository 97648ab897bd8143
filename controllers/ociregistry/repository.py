"""One repository of a registry: its manifests and blobs."""

import hashlib
from collections.abc import Iterator
from urllib.parse import urlsplit

import requests

from controllers.ociregistry.blob import Blob
from controllers.ociregistry.documents import MANIFESTS, OCI_MANIFEST, FoundManifest, digest_of
from controllers.ociregistry.errors import DeleteDisabled, RegistryRefused
from controllers.ociregistry.exchange import RegistryExchange
from controllers.ociregistry.reading import pieces_of, read_all
from controllers.ociregistry.reference import Repository, is_digest

_OK, _CREATED, _ACCEPTED, _NO_CONTENT = 200, 201, 202, 204
_FORBIDDEN, _NOT_FOUND, _NOT_ALLOWED = 403, 404, 405
_MOST_MANIFEST_BYTES = 4 * 1024 * 1024
_MOST_BLOB_IN_MEMORY = 8 * 1024 * 1024
_DIGEST_HEADER = "Docker-Content-Digest"
_ANY_MANIFEST = {"Accept": ", ".join(MANIFESTS)}
_BINARY = {"Content-Type": "application/octet-stream"}


class RemoteRepository:
    """Raises RegistryError. Not safe for several tasks at once."""

    def __init__(self, exchange: RegistryExchange) -> None:
        self._exchange = exchange

    @property
    def name(self) -> Repository:
        return self._exchange.repository

    def close(self) -> None:
        self._exchange.close()

    def digest_of(self, name: str) -> str | None:
        """Of the manifest that *name*, a tag or a digest, leads to; None if there is none."""
        with self._exchange.send("HEAD", f"manifests/{name}", headers=_ANY_MANIFEST) as answer:
            if answer.status_code == _NOT_FOUND:
                return None
            if answer.status_code != _OK:
                raise self._exchange.refused(answer)
            digest = answer.headers.get(_DIGEST_HEADER, "")
        if is_digest(digest):
            return digest
        # A registry need not say it; then the content does.
        found = self.manifest(name)
        return found.digest if found else None

    def manifest(self, name: str) -> FoundManifest | None:
        answer = self._exchange.send("GET", f"manifests/{name}", headers=_ANY_MANIFEST, is_streamed=True)
        with answer:
            if answer.status_code == _NOT_FOUND:
                return None
            if answer.status_code != _OK:
                raise self._exchange.refused(answer)
            content = read_all(answer, _MOST_MANIFEST_BYTES, str(self.name))
        found = digest_of(content)
        self._check_digest(name if is_digest(name) else found, found)
        return FoundManifest(answer.headers.get("Content-Type", "").partition(";")[0].strip(), found, content)

    def put_manifest(self, tag: str, content: bytes, media_type: str = OCI_MANIFEST) -> str:
        """Its digest."""
        with self._exchange.send(
            "PUT", f"manifests/{tag}", headers={"Content-Type": media_type}, body=content
        ) as answer:
            if answer.status_code not in {_OK, _CREATED, _ACCEPTED}:
                raise self._exchange.refused(answer)
            digest = digest_of(content)
            self._check_digest(answer.headers.get(_DIGEST_HEADER) or digest, digest)
        return digest

    def delete_manifest(self, digest: str) -> bool:
        """Whether it was there. Every tag of this digest goes with it."""
        if not is_digest(digest):
            raise ValueError(f"{digest!r} is not a digest: registries delete by digest only")
        with self._exchange.send("DELETE", f"manifests/{digest}") as answer:
            if answer.status_code in {_FORBIDDEN, _NOT_ALLOWED}:
                raise DeleteDisabled(f"{self.name}: the registry does not delete: {answer.status_code}")
            if answer.status_code not in {_OK, _ACCEPTED, _NO_CONTENT, _NOT_FOUND}:
                raise self._exchange.refused(answer)
            return answer.status_code != _NOT_FOUND

    def has_blob(self, digest: str) -> bool:
        with self._exchange.send("HEAD", f"blobs/{digest}") as answer:
            if answer.status_code not in {_OK, _NOT_FOUND}:
                raise self._exchange.refused(answer)
            return answer.status_code == _OK

    def blob(self, digest: str) -> bytes:
        """A small one, such as a configuration."""
        answer = self._open_blob(digest)
        content = read_all(answer, _MOST_BLOB_IN_MEMORY, f"{self.name}: {digest}")
        self._check_digest(digest, digest_of(content))
        return content

    def blob_pieces(self, digest: str) -> Iterator[bytes]:
        """A large one, piece by piece; raises after the last piece if they are not what *digest* says."""
        computed = hashlib.sha256()
        for piece in pieces_of(self._open_blob(digest), f"{self.name}: {digest}"):
            computed.update(piece)
            yield piece
        self._check_digest(digest, f"sha256:{computed.hexdigest()}")

    def put_blob(self, blob: Blob) -> bool:
        """See to it that *blob* is there; whether it had to be sent."""
        if self.has_blob(blob.descriptor.digest):
            return False
        with self._exchange.send("POST", "blobs/uploads/", body=b"") as answer:
            self._upload(answer, blob)
        return True

    def mount_blob(self, digest: str, source: Repository) -> bool:
        """Have a blob of another repository of the same registry here, without sending it; False if it will not."""
        self._exchange.also_needs(source)
        parameters = {"mount": digest, "from": source.path}
        with self._exchange.send("POST", "blobs/uploads/", parameters=parameters, body=b"") as answer:
            if answer.status_code == _CREATED:
                return True
            # It began an upload in its place, or knows nothing of mounts.
            location = answer.headers.get("Location", "") if answer.status_code == _ACCEPTED else ""
        if location:
            self._exchange.send("DELETE", location).close()
        return False

    def _upload(self, begun: requests.Response, blob: Blob) -> None:
        location = begun.headers.get("Location", "")
        if begun.status_code != _ACCEPTED or not location:
            raise self._exchange.refused(begun)
        separator = "&" if urlsplit(location).query else "?"
        target = f"{location}{separator}digest={blob.descriptor.digest}"
        with (
            blob.open() as content,
            self._exchange.send("PUT", target, headers=_BINARY, body=content) as answer,
        ):
            if answer.status_code not in {_CREATED, _NO_CONTENT}:
                raise self._exchange.refused(answer)

    def _open_blob(self, digest: str) -> requests.Response:
        answer = self._exchange.send("GET", f"blobs/{digest}", is_streamed=True)
        if answer.status_code != _OK:
            with answer:
                raise self._exchange.refused(answer)
        return answer

    def _check_digest(self, wanted: str, found: str) -> None:
        if wanted != found:
            raise RegistryRefused(f"{self.name}: {wanted} was wanted, and {found} came")
