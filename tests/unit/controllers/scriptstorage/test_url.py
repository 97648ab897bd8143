import pytest

from controllers.scriptstorage.url import InvalidScriptUrl, ScriptUrl, parse_script_url


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("s3://bucket/a/b", ScriptUrl("bucket", "a/b")),
        ("s3://bucket/a/b/", ScriptUrl("bucket", "a/b")),
        ("a/b.js", ScriptUrl("default", "a/b.js")),
        ("/a", ScriptUrl("default", "a")),
    ],
)
def test_a_url_names_a_bucket_and_a_key(text: str, expected: ScriptUrl) -> None:
    assert parse_script_url(text, "default") == expected


# Upstream's tool took the whole URL for a key, and a prefix without its slash.
def test_a_prefix_ends_with_a_slash_so_that_siblings_stay_out() -> None:
    assert parse_script_url("s3://bucket/account/script", "default").prefix == "account/script/"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "s3://",
        "s3://bucket",
        "s3://bucket/",
        "s3:///a",
        "https://x/y",
        "a/../b",
        "a//b",
        "./a",
        "s3://B/a",
        "a\nb",
    ],
)
def test_what_names_no_script_is_refused(text: str) -> None:
    with pytest.raises(InvalidScriptUrl):
        parse_script_url(text, "default")
