"""A certificate and its private key, in memory and as files."""

from pathlib import Path

import msgspec

from framework.certificates.private_file import write_private_file


class KeyPair(msgspec.Struct, frozen=True):
    """Both as PEM."""

    certificate: bytes
    key: bytes

    def __repr__(self) -> str:
        # The key must not get into a log.
        return "KeyPair(...)"


class KeyPairFiles(msgspec.Struct, frozen=True):
    certificate_file: Path
    key_file: Path

    def read(self) -> KeyPair:
        return KeyPair(self.certificate_file.read_bytes(), self.key_file.read_bytes())

    def write(self, pair: KeyPair) -> None:
        # A crash in between leaves two that do not fit, which is noticed when they are next looked at.
        write_private_file(self.key_file, pair.key)
        write_private_file(self.certificate_file, pair.certificate)
