"""A control plane whose authority, certificates and tokens a test replaces."""

import json
import secrets
import subprocess
from pathlib import Path

from framework.testing.control_plane import ControlPlane


class Rotation:
    """Each change takes effect when the API server is restarted, which is part of it."""

    def __init__(self, plane: ControlPlane, pki: Path, folder: Path) -> None:
        self._plane = plane
        self._pki = pki
        self._folder = folder
        self._generation = 0
        # What the server and its clients trust besides.
        self._authorities = [plane.ca_file.read_bytes()]

    @property
    def authority(self) -> bytes:
        """The certificate of the authority that is in force."""
        return self._authorities[-1]

    def prepare_authority(self) -> bytes:
        """Make a new authority, without using it yet; return its certificate."""
        self._generation += 1
        self._new.mkdir()
        self._run("init", str(self._new))
        return (self._new / "ca.crt").read_bytes()

    def use_prepared_authority(self) -> None:
        """The server shows a certificate of the new authority; it still believes clients of the old one."""
        self._authorities.append((self._new / "ca.crt").read_bytes())
        for name in ("apiserver.crt", "apiserver.key"):
            (self._plane.ca_file.parent / name).write_bytes((self._new / name).read_bytes())
        self._trust(*self._authorities)

    def forget_old_authorities(self) -> None:
        """Clients of the old ones are believed no longer."""
        self._trust(self.authority)

    def client_certificate(self, user: str, group: str) -> tuple[bytes, bytes]:
        """A certificate and its key, of the authority that is in force."""
        self._run("client", str(self._new), f"client-{user}", user, group)
        return (self._new / f"client-{user}.crt").read_bytes(), (self._new / f"client-{user}.key").read_bytes()

    def replace_token(self, user: str) -> str:
        """The old token of *user* is refused from now on."""
        token = secrets.token_hex(16)
        tokens = self._plane.ca_file.parent / "tokens.csv"
        old = json.loads(self._plane.kubeconfig_for(user).read_text())["users"][0]["user"]["token"]
        tokens.write_text(tokens.read_text().replace(old, token))
        self._plane.restart_apiserver()
        return token

    def _trust(self, *authorities: bytes) -> None:
        # The same file tells the server whom to believe, and the test kit which server to trust.
        self._plane.ca_file.write_bytes(b"".join(authorities))
        self._plane.restart_apiserver()

    @property
    def _new(self) -> Path:
        return self._folder / f"authority-{self._generation}"

    def _run(self, *arguments: str) -> None:
        subprocess.run([str(self._pki), *arguments], check=True, capture_output=True)
