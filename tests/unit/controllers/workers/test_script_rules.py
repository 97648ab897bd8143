from datetime import UTC, datetime

import pytest

from controllers.workers.script_rules import InvalidInput, NormalScript, ScriptRules, normalised

NOW = datetime(2024, 6, 1, tzinfo=UTC)
RULES = ScriptRules(bucket="scripts", allowed_buckets=("shared",))


def script(**changes: object) -> NormalScript:
    given = {"script_name": "hello", "compatibility_date": "2024-01-01", "script_urls": ["acme/hello"], **changes}
    return NormalScript(**given)  # type: ignore[arg-type] # a test gives bad values on purpose


def reason_of(**changes: object) -> str:
    with pytest.raises(InvalidInput) as caught:
        normalised(script(**changes), RULES, NOW)
    return caught.value.reason


@pytest.mark.parametrize(
    ("given", "expected"), [("07/03/2023", "2023-07-03"), ("", "2023-02-28"), ("2024-06-01", "2024-06-01")]
)
def test_a_date_has_one_spelling(given: str, expected: str) -> None:
    assert normalised(script(compatibility_date=given), RULES, NOW).compatibility_date == expected


@pytest.mark.parametrize("given", ["MM/DD/YYYY", "2024-13-01", "2024-06-02", "20240101", "2024-1-1", "soon"])
def test_what_is_no_date_or_in_the_future_is_refused(given: str) -> None:
    assert reason_of(compatibility_date=given) == "InvalidCompatibilityDate"


@pytest.mark.parametrize("name", ["", "Hello", "a b", "-a", "a-", "a/b", "../x", "x" * 64])
def test_a_name_of_other_characters_is_refused(name: str) -> None:
    assert reason_of(script_name=name) == "InvalidScriptName"


@pytest.mark.parametrize(
    "urls", [[], ["http://x/y"], ["s3://foreign/key"], ["a/../b"], ["s3://scripts"], ["ok/1", "/"]]
)
def test_a_url_that_leads_elsewhere_is_refused(urls: list[str]) -> None:
    assert reason_of(script_urls=urls) == "InvalidScriptUrl"


def test_a_bucket_that_is_allowed_is_as_good_as_the_own() -> None:
    assert normalised(script(script_urls=["s3://shared/key"]), RULES, NOW).script_urls == ["s3://shared/key"]


def test_the_order_of_flags_is_no_difference() -> None:
    first = normalised(script(compatibility_flags=["b", "a"]), RULES, NOW)

    assert first == normalised(script(compatibility_flags=["a", "b", "a"]), RULES, NOW)
