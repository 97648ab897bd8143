import base64

import msgspec
import pytest

from controllers.ociregistry.challenge import Challenge, parse_challenge
from controllers.ociregistry.credentials import Login, RegistryCredentials
from framework.errors import ConfigurationError

AUTH = base64.b64encode(b"user:pass:word").decode()


@pytest.mark.parametrize(
    ("key", "registry"),
    [
        ("https://index.docker.io/v1/", "docker.io"),
        ("docker.io", "docker.io"),
        ("registry.example", "registry.example"),
        ("https://registry.example:5000/v1/", "registry.example:5000"),
        ("http://registry.example:5000", "registry.example:5000"),
        ("registry.example:5000/v2/", "registry.example:5000"),
    ],
)
def test_a_login_is_found_however_its_host_is_written(key: str, registry: str) -> None:
    credentials = RegistryCredentials.parse(msgspec.json.encode({"auths": {key: {"auth": AUTH}}, "other": 1}))

    assert credentials.login_of(registry) == Login("user", "pass:word")
    assert credentials.login_of("elsewhere.example") is None


def test_user_and_password_may_be_apart_and_an_entry_may_have_neither() -> None:
    entries = {"a.example": {"username": "u", "password": "p"}, "b.example": {}}

    credentials = RegistryCredentials.parse(msgspec.json.encode({"auths": entries}))

    assert credentials.login_of("a.example") == Login("u", "p")
    assert credentials.login_of("b.example") is None


@pytest.mark.parametrize("text", [b"", b"[]", b'{"auths": {"a": {"auth": "hunter2"}}}', b'{"auths": {"a": 1}}'])
def test_what_cannot_be_read_is_refused_without_being_repeated(text: bytes) -> None:
    with pytest.raises(ConfigurationError) as caught:
        RegistryCredentials.parse(text)

    assert "hunter2" not in str(caught.value)


def test_a_login_does_not_show_its_password() -> None:
    assert "hunter2" not in repr(Login("user", "hunter2"))


def test_a_challenge_says_what_to_ask_for_and_where() -> None:
    header = 'Bearer realm="https://auth.example/token",service="registry.example",scope="repository:a/b:pull,push"'

    assert parse_challenge(header) == Challenge(
        "bearer", "https://auth.example/token", "registry.example", ("repository:a/b:pull,push",)
    )
    assert parse_challenge('Basic realm="x"') == Challenge("basic", "x")
    assert parse_challenge("Negotiate abc") is None
    assert parse_challenge("") is None
