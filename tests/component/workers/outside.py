"""A registry and a bucket that remember what was asked of them."""

from apis.meta import Key
from controllers.ociregistry.errors import DeleteDisabled, RegistryUnavailable
from controllers.scriptstorage.errors import StorageUnavailable


class FakeRegistry:
    """Tags and their digests; the same for whoever asks."""

    def __init__(self) -> None:
        self.tags: dict[str, str] = {}
        self.deleted: list[tuple[str, str]] = []
        self.asked_as: set[Key] = set()
        self.can_delete, self.is_down = True, False

    def of(self, credentials: Key) -> "FakeRegistry":
        self.asked_as.add(credentials)
        return self

    def push(self, image: str, digest: str) -> None:
        self.tags[image] = digest

    def digest_of(self, image: str) -> str | None:
        self._check()
        name, _, digest = image.partition("@")
        found = self.tags.get(name)
        if digest:
            return digest if digest in self.digests_in(name.rpartition(":")[0]) else None
        return found

    def delete(self, repository: str, digest: str) -> bool:
        self._check()
        if not self.can_delete:
            raise DeleteDisabled(f"{repository}: the registry does not delete")
        self.deleted.append((repository, digest))
        gone = [tag for tag, found in self.tags.items() if found == digest and tag.startswith(f"{repository}:")]
        for tag in gone:
            del self.tags[tag]
        return bool(gone)

    def digests_in(self, repository: str) -> set[str]:
        return {digest for tag, digest in self.tags.items() if tag.startswith(f"{repository}:")}

    def _check(self) -> None:
        if self.is_down:
            raise RegistryUnavailable("no answer")


class FakeBucket:
    def __init__(self) -> None:
        self.bucket = "scripts"
        self.deleted: list[str] = []
        self.is_down, self.asked = False, 0

    def delete_prefix(self, prefix: str) -> int:
        self.asked += 1
        if self.is_down:
            raise StorageUnavailable("no answer")
        self.deleted.append(prefix)
        return 1
