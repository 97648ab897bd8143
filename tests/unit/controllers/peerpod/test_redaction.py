import json

import pytest

from controllers.peerpod.redaction import redacted, without_user_info

SECRET = "p@ss word/+\n\"'ä"


@pytest.mark.parametrize(
    "spelled",
    [
        SECRET,
        "p%40ss%20word%2F%2B%0A%22%27%C3%A4",
        "p%40ss+word%2F%2B%0A%22%27%C3%A4",
        json.dumps({"key": SECRET}),
        repr(SECRET),
        "cEBzcyB3b3JkLysKIifDpA==",
    ],
)
def test_a_secret_is_removed_however_it_is_spelled(spelled: str) -> None:
    text = redacted(f"refused: {spelled}!", {"KEY": SECRET}, ("KEY",))

    assert "ss" not in text
    assert text.startswith("refused: ")


def test_what_is_no_secret_stays() -> None:
    assert redacted("in eu-1 as bob", {"REGION": "eu-1", "KEY": ""}, ("KEY", "OTHER")) == "in eu-1 as bob"


def test_the_longest_secret_goes_first() -> None:
    assert redacted("abcdef", {"A": "abc", "B": "abcdef"}, ("A", "B")) == "[redacted]"


def test_the_secret_parts_of_a_credential_that_is_json_are_removed() -> None:
    key = (
        "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEF\nAASCBKcwggSjAgEAAoIBAQ\n-----END PRIVATE KEY-----\n"
    )
    document = {"client_email": "a@b.c", "private_key": key, "private_key_id": "0123456789abcdef"}

    text = redacted(
        f"a@b.c: cannot read MIIEvQIBADANBgkqhkiG9w0BAQEF of 0123456789abcdef in {key!r}",
        {"CREDENTIALS": json.dumps(document)},
        ("CREDENTIALS",),
    )

    assert text == "a@b.c: cannot read [redacted] of [redacted] in '[redacted]'"


def test_user_info_of_a_uri_is_removed() -> None:
    text = "cannot open 'qemu+ssh://root:hunter2@host/system' nor https://me@there/x"

    assert redacted(text, {}, ()) == "cannot open 'qemu+ssh://[redacted]@host/system' nor https://[redacted]@there/x"
    assert without_user_info("qemu+ssh://root:x@host/system?a=b") == "qemu+ssh://host/system?a=b"
