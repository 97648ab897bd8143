from framework.client.headers import Headers


def test_names_are_lower_case_and_values_trimmed() -> None:
    headers = Headers((b"HTTP/1.1 200 OK: fine\r\n", b"Retry-After:  7 \r\n", b"X-Empty:\r\n", b"\r\n"))

    assert dict(headers) == {"retry-after": "7", "x-empty": ""}
    assert len(headers) == 2


def test_a_value_may_hold_colons_and_bytes_of_any_kind() -> None:
    headers = Headers((b"HTTP/1.1 200 OK\r\n", b"Location: https://x:1/\x85/y\r\n"))

    assert headers["location"] == "https://x:1/\x85/y"


def test_only_the_last_head_counts() -> None:
    interim = (b"HTTP/1.1 103 Early Hints\r\n", b"Link: a\r\n", b"\r\n")

    headers = Headers((*interim, b"HTTP/1.1 429 Too Many Requests\r\n", b"Retry-After: 1\r\n"))

    assert dict(headers) == {"retry-after": "1"}
    assert headers.get("link") is None
