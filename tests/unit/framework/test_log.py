"""Canaries that must not sing, whatever way they take into a log line."""

import io
import json
from collections.abc import Iterator

import msgspec
import pytest
import structlog

from framework.errors import Status, api_error
from framework.log import REDACTED, configure_logging, without_secrets

CANARY = "c4n4ryc4n4ryc4n4ry"
JWT = f"eyJhbGciOiJSUzI1NiJ9.eyJ{CANARY}.{CANARY}"
KEY = f"-----BEGIN RSA PRIVATE KEY-----\n{CANARY}\n-----END RSA PRIVATE KEY-----"


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Holder(msgspec.Struct):
    header: str


@pytest.fixture(autouse=True)
def unconfigured() -> Iterator[None]:
    yield
    structlog.reset_defaults()
    # As tests/conftest.py leaves it.
    structlog.configure()


@pytest.fixture
def stream() -> io.StringIO:
    written = io.StringIO()
    configure_logging(stream=written)
    return written


def fail(text: str) -> None:
    raise ValueError(text)


def log() -> structlog.typing.FilteringBoundLogger:
    logger: structlog.typing.FilteringBoundLogger = structlog.get_logger("test")
    return logger


def test_a_line_is_json_with_event_level_and_time(stream: io.StringIO) -> None:
    log().info("something_happened", count=3, names=("a", "b"), nothing=None, is_so=True, ratio=0.5)

    line = json.loads(stream.getvalue())
    assert line.pop("timestamp").endswith("Z")
    assert line == {
        "event": "something_happened",
        "level": "info",
        "count": 3,
        "names": ["a", "b"],
        "nothing": None,
        "is_so": True,
        "ratio": 0.5,
    }


def test_a_terminal_gets_lines_for_people() -> None:
    terminal = Terminal()
    configure_logging(stream=terminal)

    log().info("something_happened", count=3)

    assert "something_happened" in terminal.getvalue()
    assert not terminal.getvalue().startswith("{")


def test_json_can_be_asked_for_on_a_terminal() -> None:
    terminal = Terminal()
    configure_logging(stream=terminal, as_json=True)

    log().info("something_happened")

    assert json.loads(terminal.getvalue())["event"] == "something_happened"


def test_what_is_below_the_level_is_not_written(stream: io.StringIO) -> None:
    log().debug("detail")

    assert stream.getvalue() == ""


def test_bound_context_is_in_every_line(stream: io.StringIO) -> None:
    with structlog.contextvars.bound_contextvars(controller="x"):
        log().info("something_happened")

    assert json.loads(stream.getvalue())["controller"] == "x"


@pytest.mark.parametrize(
    "name",
    [
        "token",
        "tokens",
        "bearer_token",
        "Authorization",
        "password",
        "db_passwd",
        "secret",
        "client_secret",
        "apiKey",
        "api-key",
        "secretAccessKey",
        "private_key",
        "clientKeyData",
        "client-key-data",
        "credentials",
        "kubeconfig",
        "cookie",
    ],
)
def test_nothing_is_written_under_the_name_of_a_secret(stream: io.StringIO, name: str) -> None:
    log().info("e", **{name: CANARY}, nested={"list": [{name: CANARY}]})

    assert CANARY not in stream.getvalue()
    assert json.loads(stream.getvalue())[name] == REDACTED


@pytest.mark.parametrize("name", ["secret_name", "token_file", "tokens_left", "namespace", "key", "object"])
def test_an_innocent_name_keeps_its_value(stream: io.StringIO, name: str) -> None:
    log().info("e", **{name: "kept"})

    assert json.loads(stream.getvalue())[name] == "kept"


@pytest.mark.parametrize(
    "text",
    [
        f"Authorization: Bearer {CANARY}",
        f"authorization: basic {CANARY}",
        f"got 'Bearer {CANARY}'",
        f"token {JWT} is no good",
        f"key:\n{KEY}",
        f"key: -----BEGIN PRIVATE KEY-----\n{CANARY} cut off",
        f"postgres://user:{CANARY}@host/db",
        f"https://:{CANARY}@host",
        f"dial failed: password={CANARY} host=x",
        f'{{"client_secret": "{CANARY}"}}',
        f"client-key-data: {CANARY}",
        f"LS0tLS1CRUdJTiBQUklWQVRF{CANARY}==",
    ],
)
def test_what_looks_like_a_credential_is_blotted_out_anywhere(stream: io.StringIO, text: str) -> None:
    try:
        fail(text)
    except ValueError as error:
        log().exception("e", plain=text, nested={"a": [text, (text,), {text}]}, error=error, raw=text.encode())
    log().info(text, holder=Holder(text), by_text={text: 1})

    assert CANARY not in stream.getvalue()
    assert REDACTED in stream.getvalue()


def test_on_a_terminal_as_well() -> None:
    terminal = Terminal()
    configure_logging(stream=terminal)

    try:
        fail(f"Bearer {CANARY}")
    except ValueError:
        log().exception("e", token=CANARY)

    assert "Traceback" in terminal.getvalue()
    assert CANARY not in terminal.getvalue()


def test_an_error_of_the_server_is_blotted_out(stream: io.StringIO) -> None:
    log().warning("refused", error=api_error(Status(code=401, message=f"invalid bearer token: Bearer {CANARY}")))

    assert CANARY not in stream.getvalue()


def test_the_content_of_a_secret_is_not_written(stream: io.StringIO) -> None:
    secret = {"kind": "Secret", "metadata": {"name": "s"}, "data": {"x": CANARY}, "stringData": {"y": CANARY}}

    log().info("e", object=secret)

    assert CANARY not in stream.getvalue()
    assert json.loads(stream.getvalue())["object"]["metadata"] == {"name": "s"}


def test_the_content_of_another_kind_is_written(stream: io.StringIO) -> None:
    log().info("e", object={"kind": "ConfigMap", "data": {"x": "kept"}})

    assert json.loads(stream.getvalue())["object"]["data"] == {"x": "kept"}


@pytest.mark.parametrize("text", ["the secret is out", 'secrets "a" not found', "Basic rules", "https://host:80/a@b"])
def test_ordinary_text_is_left_alone(stream: io.StringIO, text: str) -> None:
    log().info("e", text=text)

    assert json.loads(stream.getvalue())["text"] == text


def test_a_mapping_with_odd_keys_is_written(stream: io.StringIO) -> None:
    log().info("e", counts={1: "one", ("a", 2): "pair"})

    assert json.loads(stream.getvalue())["counts"] == {"1": "one", "('a', 2)": "pair"}


def test_a_long_text_without_secrets_is_looked_through_in_linear_time() -> None:
    text = "a-" * 65_536

    assert without_secrets(text) == text


def test_a_secret_behind_a_very_long_name_is_blotted_out() -> None:
    text = "x" * 500 + "_password=hunter2hunter2"

    assert "hunter2" not in without_secrets(text)
