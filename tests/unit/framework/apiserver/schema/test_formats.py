import pytest

from framework.apiserver.schema.formats import is_recognized, string_format
from framework.apiserver.schema.patterns import PatternError, compile_pattern


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("date-time", "2026-01-02T03:04:05Z", "2026-01-02"),
        ("date", "2024-02-29", "2023-02-29"),
        ("duration", "1h30m", "1"),
        ("duration", "3 days", "1 fortnight"),
        ("ipv4", "1.2.3.4", "1.2.3.256"),
        ("ipv6", "2001:db8::1", "1.2.3.4"),
        ("cidr", "10.0.0.0/8", "10.0.0.0/33"),
        ("mac", "01:23:45:67:89:ab", "01:23"),
        ("uuid", "123E4567-e89b-12d3-a456-426614174000", "123"),
        ("email", "a@b.c", "a@b@c"),
        ("uri", "https://a.b/c", "a b"),
        ("hostname", "bücher.example", "-a"),
        ("byte", "aGk=", "*"),
        ("isbn", "978-0321751041", "978-0321751042"),
        ("creditcard", "4111-1111-1111-1111", "4111-1111-1111-1112"),
        ("k8s-short-name", "a-b", "a.b"),
        ("k8s-long-name", "a.b", "A"),
    ],
)
def test_formats_tell_good_from_bad(name: str, good: str, bad: str) -> None:
    check = string_format(name)

    assert check is not None
    assert check(good)
    assert not check(bad)


def test_formats_count_only_for_the_types_they_are_made_for() -> None:
    assert is_recognized("int32", "integer")
    assert not is_recognized("int32", "string")
    assert not is_recognized("unheard-of", "string")


def test_mail_addresses_take_linear_time() -> None:
    check = string_format("email")

    assert check is not None
    assert not check("a" * 20_000 + "\x00")


def test_patterns_are_found_anywhere_and_have_the_syntax_of_re2() -> None:
    assert compile_pattern("b+")("abbc")
    assert compile_pattern(r"^\p{Lu}[[:digit:]]$")("Ä1")
    assert not compile_pattern("^a$")("a\n")


def test_a_bad_pattern_is_explained_as_go_does() -> None:
    with pytest.raises(PatternError, match=r"error parsing regexp: missing closing \]: `\[b`"):
        compile_pattern("a[b")
