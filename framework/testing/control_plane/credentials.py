"""Who the servers and the users of one control plane are."""

import hashlib
import secrets
import subprocess
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote

import msgspec

from framework.testing.control_plane.error import ControlPlaneError

ADMIN = "admin"
# They authenticate with a token of their own and may do nothing until a test binds them to a role.
USERS_WITHOUT_RIGHTS = ("nobody", "alice", "bob")

# The rest of a line of the token file; an empty column would be a group without a name.
_GROUPS = {ADMIN: ',"system:masters"'}


class ClientCertificate(msgspec.Struct, frozen=True):
    """A certificate that the API server accepts for one user, and a kubeconfig that refers to it."""

    certificate: Path
    key: Path
    kubeconfig: Path


class Credentials:
    """Keys, certificates and tokens in one folder; those that exist are kept.

    With the `pki` program there is a certificate authority of our own. Without it, as with the assets of kubebuilder,
    kube-apiserver makes its own certificate, which is then what clients trust, and its key also signs service account
    tokens: kube-apiserver makes the one before it reads the other.
    """

    def __init__(self, folder: Path, *, pki: Path) -> None:
        self._pki = pki
        self.folder = folder
        self.token_file = folder / "tokens.csv"
        self.tokens: dict[str, str] = {}
        self.has_authority = pki.is_file()
        self.ca_file = folder / ("ca.crt" if self.has_authority else "apiserver.crt")
        self.service_account_key = folder / ("service-account.key" if self.has_authority else "apiserver.key")

    def make(self) -> None:
        """Make what is missing; must come before the first start of kube-apiserver."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not self.tokens:
            self.tokens = {user: secrets.token_hex(16) for user in (ADMIN, *USERS_WITHOUT_RIGHTS)}
            self._write_tokens()
        if self.has_authority and not self.ca_file.exists():
            self._run_pki("init", str(self.folder))

    def issue(self, user: str, groups: Sequence[str]) -> tuple[Path, Path]:
        """Return the files of a certificate and of its key for *user* in *groups*."""
        if not self.has_authority:
            raise ControlPlaneError(
                f"no client certificate without {self._pki}; run `make control-plane` and unset KUBEBUILDER_ASSETS"
            )
        name = f"client-{file_name(user, *groups)}"
        self._run_pki("client", str(self.folder), name, user, *groups)
        return self.folder / f"{name}.crt", self.folder / f"{name}.key"

    def _write_tokens(self) -> None:
        lines = [f"{token},{user},{user}{_GROUPS.get(user, '')}\n" for user, token in self.tokens.items()]
        self.token_file.touch(mode=0o600)
        self.token_file.write_text("".join(lines))

    def _run_pki(self, *arguments: str) -> None:
        done = subprocess.run([str(self._pki), *arguments], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise ControlPlaneError(f"cannot make keys in {self.folder}: {done.stderr.strip()}")


def file_name(user: str, *distinction: str) -> str:
    """Return a name for files of *user*, a different one for each distinction."""
    digest = hashlib.sha256(repr((user, distinction)).encode()).hexdigest()
    return f"{quote(user, safe='')[:60]}-{digest[:10]}"
