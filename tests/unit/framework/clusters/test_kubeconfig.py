"""Kubeconfigs from objects: what is taken from them, and what is refused with the name of the field and no value."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from framework.apiserver.certificates import Authority
from framework.client import ClusterAddress
from framework.clock import SystemClock
from framework.clusters import credentials_from_kubeconfig
from framework.clusters.kubeconfig import MOST_BYTES
from framework.errors import ForbiddenKubeconfig, KubeconfigError

SERVER = "https://server:6443"
CANARY = "canary-7f3a9c"
Build = Callable[..., str]


def kubeconfig(user: Any = None, cluster: Any = None, **more: Any) -> str:
    document = {
        "clusters": [{"name": "c", "cluster": {"server": SERVER, **(cluster or {})}}],
        "users": [{"name": "u", "user": user or {}}],
        "contexts": [{"name": "x", "context": {"cluster": "c", "user": "u"}}],
        "current-context": "x",
        **more,
    }
    return json.dumps(document)


def encoded(pem: bytes) -> str:
    return base64.b64encode(pem).decode()


@pytest.fixture(scope="module")
def authority() -> Authority:
    return Authority.create(clock=SystemClock())


def test_a_token_and_an_authority_are_taken(authority: Authority) -> None:
    cluster = {"certificate-authority-data": encoded(authority.certificate), "tls-server-name": "kubernetes"}

    credentials = credentials_from_kubeconfig(kubeconfig({"token": "t0ken"}, cluster))

    assert credentials.address() == ClusterAddress(SERVER, ca=authority.certificate, tls_server_name="kubernetes")
    assert credentials.authorization() == "Bearer t0ken"


def test_a_client_certificate_is_taken(authority: Authority) -> None:
    pair = authority.issue_client("carol")
    user = {"client-certificate-data": encoded(pair.certificate), "client-key-data": encoded(pair.key)}

    address = credentials_from_kubeconfig(kubeconfig(user)).address()

    assert (address.certificate, address.key) == (pair.certificate, pair.key)


def test_plain_yaml_with_a_token_of_digits_is_taken() -> None:
    text = f"""
current-context: x
clusters: [{{name: c, cluster: {{server: "{SERVER}/"}}}}]
users: [{{name: u, user: {{token: 12345}}}}]
contexts: [{{name: x, context: {{cluster: c, user: u}}}}]
"""

    credentials = credentials_from_kubeconfig(text.encode())

    assert (credentials.address().server, credentials.authorization()) == (SERVER, "Bearer 12345")


def test_the_only_context_needs_no_name() -> None:
    assert credentials_from_kubeconfig(kubeconfig({"token": "t"}, **{"current-context": ""})).header == "Bearer t"


def test_impersonation_and_passwords_become_headers() -> None:
    user = {"as": "jane", "as-groups": ["cats"], "as-user-extra": {"a/b": ["c"]}, "username": "u", "password": "p"}

    credentials = credentials_from_kubeconfig(kubeconfig(user))

    expected = ("Impersonate-User: jane", "Impersonate-Group: cats", "Impersonate-Extra-a%2Fb: c")
    assert credentials.address().impersonation == expected
    assert credentials.authorization() == "Basic dTpw"


def test_what_other_contexts_hold_does_not_matter() -> None:
    users = [{"name": "u", "user": {"token": "t"}}, {"name": "other", "user": {"exec": {"command": "rm"}}}]

    assert credentials_from_kubeconfig(kubeconfig(users=users)).authorization() == "Bearer t"


def test_equal_kubeconfigs_give_equal_credentials() -> None:
    first, second = (credentials_from_kubeconfig(kubeconfig({"token": "t"})) for _ in range(2))

    assert first == second
    assert first != credentials_from_kubeconfig(kubeconfig({"token": "u"}))


def test_credentials_do_not_print_what_they_hold() -> None:
    credentials = credentials_from_kubeconfig(kubeconfig({"token": CANARY}))

    assert CANARY not in f"{credentials!r} {credentials!s}"


@pytest.mark.parametrize(
    ("user", "cluster", "field"),
    [
        ({"exec": {"command": CANARY}}, {}, "users[].user.exec"),
        ({"auth-provider": {"name": CANARY}}, {}, "users[].user.auth-provider"),
        ({"client-certificate": CANARY}, {}, "users[].user.client-certificate"),
        ({"client-key": CANARY}, {}, "users[].user.client-key"),
        ({"tokenFile": CANARY}, {}, "users[].user.tokenFile"),
        ({}, {"certificate-authority": CANARY}, "clusters[].cluster.certificate-authority"),
        ({}, {"proxy-url": f"http://{CANARY}"}, "clusters[].cluster.proxy-url"),
        ({}, {"server": f"http://{CANARY}"}, "clusters[].cluster.server"),
        ({}, {"insecure-skip-tls-verify": True}, "clusters[].cluster.insecure-skip-tls-verify"),
    ],
)
def test_what_would_make_this_process_act_is_forbidden(user: Any, cluster: Any, field: str) -> None:
    with pytest.raises(ForbiddenKubeconfig) as raised:
        credentials_from_kubeconfig(kubeconfig(user, cluster))

    assert raised.value.field == field
    assert field in str(raised.value)
    assert CANARY not in str(raised.value)


def test_a_server_that_is_not_verified_can_be_permitted() -> None:
    text = kubeconfig({"token": "t"}, {"insecure-skip-tls-verify": True})

    assert credentials_from_kubeconfig(text, allow_insecure=True).address().verify is False


GARBAGE = encoded(b"-----BEGIN CERTIFICATE-----\n" + CANARY.encode() + b"\n-----END CERTIFICATE-----\n")


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("", "the whole"),
        (f"{{{CANARY}", "the whole"),
        (CANARY, "the whole"),
        ("[" * 20_000, "the whole"),
        (CANARY * MOST_BYTES, "the whole"),
        (b"\xff\xfe\x00" + CANARY.encode(), "the whole"),
        (kubeconfig(**{"current-context": CANARY}), "current-context"),
        (kubeconfig(**{"current-context": [CANARY]}), "current-context"),
        (kubeconfig(contexts=[], **{"current-context": ""}), "current-context"),
        (kubeconfig(contexts=CANARY), "contexts"),
        (kubeconfig(contexts=[{"name": "x", "context": CANARY}]), "contexts[]"),
        (kubeconfig(contexts=[{"name": "x", "context": {"cluster": CANARY}}]), "contexts[].context.cluster"),
        (
            kubeconfig(contexts=[{"name": "x", "context": {"cluster": "c", "user": CANARY}}]),
            "contexts[].context.user",
        ),
        (kubeconfig(None, {"server": ""}), "clusters[].cluster.server"),
        (kubeconfig(None, {"server": CANARY}), "clusters[].cluster.server"),
        (kubeconfig(None, {"server": f"https://{CANARY}:port"}), "clusters[].cluster.server"),
        (kubeconfig(None, {"server": f"https://u:{CANARY}@host"}), "clusters[].cluster.server"),
        (kubeconfig(None, {"server": f"https://host\n{CANARY}"}), "clusters[].cluster.server"),
        (kubeconfig(None, {"certificate-authority-data": CANARY}), "clusters[].cluster.certificate-authority-data"),
        (kubeconfig(None, {"certificate-authority-data": GARBAGE}), "clusters[].cluster.certificate-authority-data"),
        (kubeconfig(None, {"certificate-authority-data": {CANARY: 1}}), "clusters[].cluster"),
        (kubeconfig({"token": f"a\n{CANARY}"}), "users[].user.token"),
        (kubeconfig({"as": f"a\r\nX: {CANARY}"}), "users[].user.as"),
        (kubeconfig({"as-user-extra": {CANARY: {}}}), "users[].user"),
        (kubeconfig({"client-certificate-data": GARBAGE}), "users[].user.client-key-data"),
        (kubeconfig({"client-key-data": GARBAGE}), "users[].user.client-certificate-data"),
        (
            kubeconfig({"client-certificate-data": GARBAGE, "client-key-data": GARBAGE}),
            "users[].user.client-certificate-data",
        ),
    ],
    ids=lambda value: str(value)[-60:],
)
def test_what_cannot_be_used_is_refused_in_one_line_without_a_value(text: bytes | str, field: str) -> None:
    with pytest.raises(KubeconfigError) as raised:
        credentials_from_kubeconfig(text)

    assert raised.value.field == field
    assert not isinstance(raised.value, ForbiddenKubeconfig)
    assert str(raised.value).startswith(f"kubeconfig: {field}: ")
    assert "\n" not in str(raised.value)
    assert CANARY not in str(raised.value)


def test_the_key_of_another_certificate_is_refused(authority: Authority) -> None:
    mine, other = authority.issue_client("carol"), authority.issue_client("carol")
    user = {"client-certificate-data": encoded(mine.certificate), "client-key-data": encoded(other.key)}

    with pytest.raises(KubeconfigError, match=r"client-key-data: is not the key of client-certificate-data"):
        credentials_from_kubeconfig(kubeconfig(user))


TEXT = st.text("ab\n\0 ", max_size=4)
JSON = st.recursive(
    st.none() | st.booleans() | TEXT | st.integers(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)
FIELDS = st.sampled_from(
    ["clusters", "users", "contexts", "current-context", "name", "cluster", "user", "server", "token", "as-groups"]
)
DOCUMENTS = st.dictionaries(FIELDS, st.lists(st.dictionaries(FIELDS, JSON, max_size=3), max_size=2) | JSON, max_size=5)


@given(DOCUMENTS)
@example({"contexts": [{"name": "x", "context": {"cluster": "c"}}], "clusters": [{"name": "c", "cluster": None}]})
def test_whatever_it_is_it_is_taken_or_refused_as_a_kubeconfig(document: Any) -> None:
    try:
        credentials_from_kubeconfig(json.dumps(document))
    except KubeconfigError:
        return


@given(st.text("{}[]:-&*!|>\"'#\n\t ab", max_size=60) | st.binary(max_size=60))
def test_whatever_the_text_is_it_is_taken_or_refused_as_a_kubeconfig(text: bytes | str) -> None:
    try:
        credentials_from_kubeconfig(text)
    except KubeconfigError:
        return
