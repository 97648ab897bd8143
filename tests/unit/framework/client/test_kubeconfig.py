"""Kubeconfig files, good and bad; that a server believes the good ones is in the integration tests."""

import base64
import json
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
import structlog

from framework.client import ClusterAddress, from_kubeconfig
from framework.client.package_credentials import REFRESH_SECONDS
from framework.errors import ConfigurationError
from framework.testing.virtual_time import VirtualTime

SERVER = "https://server:6443"
CANARY = "canary-7f3a9c"
Write = Callable[..., str]

# Prints the token of the file `token` and counts its runs in the file `runs`.
PLUGIN = """#!/bin/sh
cd "$(dirname "$0")" && echo run >> runs
printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"%s}}' \
    "$(cat token)" "$(cat more 2>/dev/null)"
"""


@pytest.fixture(autouse=True)
def no_proxy_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture
def time() -> VirtualTime:
    return VirtualTime()


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(
        user: Mapping[str, Any] | None = None,
        *,
        name: str = "config",
        cluster: Mapping[str, Any] | None = None,
        **more: Any,
    ) -> str:
        document = {
            "clusters": [{"name": "c", "cluster": {"server": SERVER, **(cluster or {})}}],
            "users": [{"name": "u", "user": user or {}}],
            "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
            "current-context": "x",
            **more,
        }
        path = tmp_path / name
        path.write_text(json.dumps(document))
        return str(path)

    return write


@pytest.fixture
def plugin(tmp_path: Path) -> Path:
    folder = tmp_path / "plugin"
    folder.mkdir()
    (folder / "token").write_text("from-plugin")
    program = folder / "login"
    program.write_text(PLUGIN)
    program.chmod(0o700)
    return program


def with_plugin(program: Path) -> Mapping[str, Any]:
    return {"exec": {"apiVersion": "client.authentication.k8s.io/v1", "command": str(program)}}


def runs_of(program: Path) -> int:
    return len((program.parent / "runs").read_text().splitlines())


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_inline_certificates_are_read_and_leave_nothing_behind(
    write: Write, time: VirtualTime, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    path = write(
        {"client-certificate-data": base64_of("CERT"), "client-key-data": base64_of(CANARY)},
        cluster={"certificate-authority-data": base64_of("CA")},
    )

    credentials = from_kubeconfig(path, clock=time.clock)
    credentials.reload()

    assert credentials.address() == ClusterAddress(
        SERVER, ca=b"CA", certificate=b"CERT", key=CANARY.encode(), no_proxy="localhost,127.0.0.0/8,::1"
    )
    assert list(temporary.rglob("*")) == []


def test_certificates_in_files_are_found_beside_the_kubeconfig(write: Write, time: VirtualTime, tmp_path: Path) -> None:
    for name in ("ca", "cert", "key"):
        (tmp_path / name).write_text(name.upper())
    path = write({"client-certificate": "cert", "client-key": "key"}, cluster={"certificate-authority": "ca"})

    address = from_kubeconfig(path, clock=time.clock).address()

    assert (address.ca, address.certificate, address.key) == (b"CA", b"CERT", b"KEY")


def test_a_rotated_certificate_is_read_by_a_reload(write: Write, time: VirtualTime, tmp_path: Path) -> None:
    for name in ("cert", "key"):
        (tmp_path / name).write_text("old")
    credentials = from_kubeconfig(write({"client-certificate": "cert", "client-key": "key"}), clock=time.clock)

    for name in ("cert", "key"):
        (tmp_path / name).write_text("new")
    credentials.reload()

    assert credentials.address().certificate == b"new"


def test_a_token_becomes_a_bearer(write: Write, time: VirtualTime) -> None:
    credentials = from_kubeconfig(write({"token": "abc"}), clock=time.clock)

    assert credentials.authorization() == "Bearer abc"


def test_nobody_has_no_authorization(write: Write, time: VirtualTime) -> None:
    assert from_kubeconfig(write(), clock=time.clock).authorization() is None


def test_a_rotated_token_file_is_read_again_after_a_while(write: Write, time: VirtualTime, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("old\n")
    credentials = from_kubeconfig(write({"tokenFile": "token"}), clock=time.clock)
    (tmp_path / "token").write_text("new\n")

    time.advance(REFRESH_SECONDS - 0.1)
    before = credentials.authorization()
    time.advance(0.1)
    after = credentials.authorization()

    assert (before, after) == ("Bearer old", "Bearer new")


def test_a_token_file_wins_over_a_token_beside_it(write: Write, time: VirtualTime, tmp_path: Path) -> None:
    (tmp_path / "token").write_text("from-file")

    credentials = from_kubeconfig(write({"token": "fixed", "tokenFile": "token"}), clock=time.clock)

    assert credentials.authorization() == "Bearer from-file"


def test_a_token_file_that_vanished_leaves_the_last_token_in_use(
    write: Write, time: VirtualTime, tmp_path: Path
) -> None:
    (tmp_path / "token").write_text("last")
    credentials = from_kubeconfig(write({"tokenFile": "token"}), clock=time.clock)
    (tmp_path / "token").unlink()

    with structlog.testing.capture_logs() as logged:
        for _ in range(3):
            time.advance(REFRESH_SECONDS)
            assert credentials.authorization() == "Bearer last"

    assert [entry["event"] for entry in logged] == ["credentials_not_refreshed"]
    (tmp_path / "token").write_text("back")
    time.advance(REFRESH_SECONDS)
    assert credentials.authorization() == "Bearer back"


def test_an_exec_plugin_gives_the_token(write: Write, time: VirtualTime, plugin: Path) -> None:
    credentials = from_kubeconfig(write(with_plugin(plugin)), clock=time.clock)

    assert credentials.authorization() == "Bearer from-plugin"
    assert runs_of(plugin) == 1


def test_an_exec_plugin_is_asked_again_on_reload(write: Write, time: VirtualTime, plugin: Path) -> None:
    credentials = from_kubeconfig(write(with_plugin(plugin)), clock=time.clock)
    (plugin.parent / "token").write_text("fresh")

    credentials.reload()

    assert credentials.authorization() == "Bearer fresh"


def test_an_exec_plugin_is_not_asked_again_while_its_token_is_good(
    write: Write, time: VirtualTime, plugin: Path
) -> None:
    (plugin.parent / "more").write_text(',"expirationTimestamp":"2999-01-01T00:00:00Z"')
    credentials = from_kubeconfig(write(with_plugin(plugin)), clock=time.clock)

    time.advance(REFRESH_SECONDS * 3)
    credentials.authorization()

    assert runs_of(plugin) == 1


def test_an_exec_plugin_is_asked_again_once_its_token_has_expired(
    write: Write, time: VirtualTime, plugin: Path
) -> None:
    (plugin.parent / "more").write_text(',"expirationTimestamp":"2000-01-01T00:00:00Z"')
    credentials = from_kubeconfig(write(with_plugin(plugin)), clock=time.clock)
    (plugin.parent / "token").write_text("fresh")

    time.advance(REFRESH_SECONDS)

    assert credentials.authorization() == "Bearer fresh"


def test_an_exec_plugin_that_fails_later_leaves_the_last_token_in_use(
    write: Write, time: VirtualTime, plugin: Path
) -> None:
    (plugin.parent / "more").write_text(',"expirationTimestamp":"2000-01-01T00:00:00Z"')
    credentials = from_kubeconfig(write(with_plugin(plugin)), clock=time.clock)
    plugin.write_text("#!/bin/sh\necho no login today >&2\nexit 3\n")
    time.advance(REFRESH_SECONDS)

    with structlog.testing.capture_logs() as logged:
        authorization = credentials.authorization()

    assert authorization == "Bearer from-plugin"
    assert [entry["error"] for entry in logged] == ["exec: process returned 3. no login today"]


def test_an_exec_plugin_may_give_a_certificate(write: Write, time: VirtualTime, plugin: Path) -> None:
    status = {"clientCertificateData": "CERT", "clientKeyData": "KEY"}
    answer = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": status}
    plugin.write_text(f"#!/bin/sh\ncat <<'END'\n{json.dumps(answer)}\nEND\n")

    credentials = from_kubeconfig(write(with_plugin(plugin)), clock=time.clock)

    assert credentials.authorization() is None
    assert (credentials.address().certificate, credentials.address().key) == (b"CERT", b"KEY")


@pytest.mark.parametrize(
    ("script", "reason"),
    [
        ("echo no login >&2; exit 3", "exec: process returned 3. no login"),
        ("printf 'two\\nlines\\n' >&2; exit 1", "exec: process returned 1. two lines"),
        ("echo not json", "failed to decode"),
        ("echo '{}'", "missing key"),
        (
            'echo \'{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{}}\'',
            "missing token or clientCertificateData",
        ),
    ],
)
def test_an_exec_plugin_that_fails_is_one_clear_line(
    write: Write, time: VirtualTime, plugin: Path, script: str, reason: str
) -> None:
    plugin.write_text(f"#!/bin/sh\n{script}\n")
    path = write(with_plugin(plugin))

    with pytest.raises(ConfigurationError) as raised:
        from_kubeconfig(path, clock=time.clock)

    assert str(raised.value).startswith(f"kubeconfig {path}: exec plugin '{plugin}' failed: ")
    assert reason in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_exec_plugin_that_is_not_there_is_one_clear_line(write: Write, time: VirtualTime, tmp_path: Path) -> None:
    path = write(with_plugin(tmp_path / "missing"))

    with pytest.raises(ConfigurationError, match=r"exec plugin '.*/missing' failed: .*No such file"):
        from_kubeconfig(path, clock=time.clock)


def test_impersonation_becomes_headers(write: Write, time: VirtualTime) -> None:
    user = {
        "token": "t",
        "as": "jane",
        "as-uid": "42",
        "as-groups": ["cats", "dogs"],
        "as-user-extra": {"example.com/team": ["a", "b"]},
    }

    address = from_kubeconfig(write(user), clock=time.clock).address()

    assert address.impersonation == (
        "Impersonate-User: jane",
        "Impersonate-Uid: 42",
        "Impersonate-Group: cats",
        "Impersonate-Group: dogs",
        "Impersonate-Extra-example.com%2Fteam: a",
        "Impersonate-Extra-example.com%2Fteam: b",
    )


def test_insecure_and_tls_server_name_are_taken_over(write: Write, time: VirtualTime) -> None:
    cluster = {"insecure-skip-tls-verify": True, "tls-server-name": "other"}

    address = from_kubeconfig(write(cluster=cluster), clock=time.clock).address()

    assert not address.verify
    assert address.tls_server_name == "other"


def test_master_replaces_the_server(write: Write, time: VirtualTime) -> None:
    address = from_kubeconfig(write(), master="https://elsewhere/", clock=time.clock).address()

    assert address.server == "https://elsewhere"


def test_a_proxy_of_the_file_holds_for_every_host(
    write: Write, time: VirtualTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_PROXY", "server")

    address = from_kubeconfig(write(cluster={"proxy-url": "http://proxy:3128"}), clock=time.clock).address()

    assert (address.proxy, address.no_proxy) == ("http://proxy:3128", "")


def test_a_proxy_of_the_environment_leaves_out_whom_the_environment_says_and_this_machine(
    write: Write, time: VirtualTime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTPS_PROXY", "http://proxy:3128")
    monkeypatch.setenv("NO_PROXY", "10.0.0.0/8")

    address = from_kubeconfig(write(), clock=time.clock).address()

    assert (address.proxy, address.no_proxy) == ("http://proxy:3128", "10.0.0.0/8,localhost,127.0.0.0/8,::1")


def test_several_files_are_merged_and_the_first_wins(write: Write, time: VirtualTime, tmp_path: Path) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "token").write_text("from-b")
    first = write(name="a", users=[])
    second = write(
        {"tokenFile": "token"},
        name="b/config",
        clusters=[{"name": name, "cluster": {"server": "https://second"}} for name in ("c", "d")],
        contexts=[{"name": name, "context": {"cluster": "d", "user": "u"}} for name in ("x", "y")],
        **{"current-context": "y"},
    )

    credentials = from_kubeconfig(f"{first}:{second}", clock=time.clock)

    assert credentials.address().server == SERVER
    assert credentials.authorization() == "Bearer from-b"


def test_of_several_files_some_may_be_missing(write: Write, time: VirtualTime, tmp_path: Path) -> None:
    path = write({"token": "abc"})

    credentials = from_kubeconfig(f"{tmp_path / 'missing'}:{path}", clock=time.clock)

    assert credentials.authorization() == "Bearer abc"


def test_of_several_files_one_must_be_there(time: VirtualTime, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match=r"kubeconfig .*one:.*two cannot be read: none"):
        from_kubeconfig(f"{tmp_path / 'one'}:{tmp_path / 'two'}", clock=time.clock)


def refused(path: Path | str) -> str:
    with pytest.raises(ConfigurationError) as raised:
        from_kubeconfig(str(path), clock=VirtualTime().clock)
    line = str(raised.value)
    assert str(path) in line
    assert "\n" not in line
    return line


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    assert refused(tmp_path / "missing").endswith("cannot be read: No such file or directory")


def test_a_folder_is_named(tmp_path: Path) -> None:
    assert refused(tmp_path).endswith("cannot be read: Is a directory")


@pytest.mark.parametrize(
    "content",
    [
        "",
        "{",
        "a: b: c",
        "- a list",
        "just text",
        "users: [word]",
        "users: [{}]",
        "\x00",
        "current-context: x\ncontexts: {}",
    ],
)
def test_a_malformed_file_is_named(tmp_path: Path, content: str) -> None:
    path = tmp_path / "config"
    path.write_text(content)

    refused(path)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"current-context": ""}, "current-context is not set"),
        ({"current-context": "y"}, "context 'y' is referred to, but not defined"),
        ({"users": []}, "user 'u' is referred to, but not defined"),
        ({"clusters": None}, "cluster 'c' is referred to, but not defined"),
        ({"clusters": [{"name": "c", "cluster": {}}]}, "cluster 'c' has no server"),
        ({"contexts": [{"name": "x"}]}, "context 'x' has no key 'context' with its settings"),
    ],
)
def test_what_is_missing_in_a_file_is_named(write: Write, change: Mapping[str, Any], reason: str) -> None:
    path = write(**change)

    assert refused(path) == f"kubeconfig {path}: {reason}"


def test_a_missing_certificate_file_is_named(write: Write) -> None:
    assert "/gone.crt" in refused(write(cluster={"certificate-authority": "/gone.crt"}))


@pytest.mark.parametrize(
    "change",
    [
        {"users": [{"name": "u", "token": CANARY}]},
        {"users": [{"user": {"token": CANARY}}]},
        {"users": [{"name": "u", "user": {"token": CANARY}}] * 2, "clusters": [{"name": "c", "cluster": CANARY}]},
        {"contexts": [{"name": "x", "context": {"user": "u", "note": CANARY}}]},
        {"users": [{"name": "u", "user": {"auth-provider": {"name": "oidc", "config": {"client-secret": CANARY}}}}]},
    ],
)
def test_an_error_never_quotes_the_file(write: Write, change: Mapping[str, Any]) -> None:
    assert CANARY not in refused(write(**change))


def test_a_file_that_leads_to_another_server_by_now_is_refused_and_no_token_of_it_is_used(
    write: Write, time: VirtualTime
) -> None:
    path = write({"token": "mine"})
    credentials = from_kubeconfig(path, clock=time.clock)
    write({"token": "of-another-server"}, cluster={"server": "https://elsewhere"})

    with pytest.raises(
        ConfigurationError, match=r"lead to https://elsewhere now, and no longer to https://server:6443"
    ):
        credentials.reload()
    time.advance(REFRESH_SECONDS)

    assert credentials.address().server == SERVER
    assert credentials.authorization() == "Bearer mine"
