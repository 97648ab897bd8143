"""A Cluster, and the way to it that a test can cut."""

import base64
import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from framework.apiserver.certificates import Authority, KeyPairFiles
from framework.apiserver.certificates.folder import SERVER_HOSTS
from framework.clock import SystemClock
from framework.testing.relay import Relay, SeenRequest
from tests.cluster import Cluster

# Part of a probe, and no write although it is a POST.
_REVIEWS = "/selfsubjectaccessreviews"


class Gate:
    """A relay in front of *server* that speaks TLS, and kubeconfigs that lead through it."""

    def __init__(self, server: Cluster, folder: Path, name: str) -> None:
        self.name = name
        self._server = server
        self._authority = Authority.create(clock=SystemClock())
        files = KeyPairFiles(folder / f"{name}.crt", folder / f"{name}.key")
        files.write(self._authority.issue_server(SERVER_HOSTS))
        self.relay = Relay(server.url, ca_file=server.ca_file, certificate=(files.certificate_file, files.key_file))

    def kubeconfig(self, token: str = "", *, authority: bytes = b"") -> str:
        """With the administrator's token and the authority of the relay, unless told others; in base64."""
        return base64.b64encode(self.plain_kubeconfig(token, authority=authority).encode()).decode()

    def plain_kubeconfig(self, token: str = "", *, authority: bytes = b"") -> str:
        data = base64.b64encode(authority or self._authority.certificate).decode()
        cluster = {"server": self.relay.url, "certificate-authority-data": data}
        return kubeconfig_of(cluster, {"token": token or self._server.token})

    @property
    def writes(self) -> list[SeenRequest]:
        """All that was asked of the server but reads and probes."""
        return [each for each in self.relay.requests if each.method != "GET" and not each.path.endswith(_REVIEWS)]

    def await_probes(self, count: int = 3) -> None:
        """Until the Cluster was looked at so many times more: time enough for whatever is not at rest."""
        start = self.last_number
        for _ in range(count):
            start = self.relay.wait_for(partial(_is_probe_after, start), limit=30.0).number

    def tokens_since(self, number: int) -> set[str]:
        """Those that were shown after the request of that number."""
        later = [each for each in self.relay.requests if each.number > number]
        return {each.headers.get("authorization", "").removeprefix("Bearer ") for each in later}

    @property
    def last_number(self) -> int:
        return max((each.number for each in self.relay.requests), default=0)


def _is_probe_after(number: int, request: SeenRequest) -> bool:
    return request.number > number and request.path == "/version"


def kubeconfig_of(cluster: Mapping[str, object], user: Mapping[str, object]) -> str:
    document = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "c", "cluster": cluster}],
        "users": [{"name": "u", "user": user}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
    }
    return json.dumps(document)
