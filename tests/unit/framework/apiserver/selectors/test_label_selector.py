import pytest

from framework.apiserver.selectors import EVERYTHING, NOTHING, label_selector_from_object, parse_label_selector
from framework.errors import BadRequest

_NOT_A_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is "
    "'(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')"
)
_NOT_A_NAME = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character "
    "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is "
    "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')"
)
_UNPARSABLE = "unable to parse requirement: "
_OPERATORS = "in, notin, =, ==, !=, gt, lt"


@pytest.mark.parametrize(
    ("text", "labels", "matches"),
    [
        ("", {}, True),
        ("  ", {"a": "b"}, True),
        ("a=b", {"a": "b"}, True),
        ("a=b", {"a": "c"}, False),
        ("a==b", {}, False),
        ("a!=b", {}, True),
        ("a!=b", {"a": "b"}, False),
        ("a", {"a": ""}, True),
        ("a", {}, False),
        ("!a", {}, True),
        ("!a", {"a": ""}, False),
        ("! a , b", {"b": "1"}, True),
        ("a=", {"a": ""}, True),
        ("a=,b", {"a": "", "b": "x"}, True),
        ("a in (x,y)", {"a": "y"}, True),
        ("a in (x,y)", {"a": "z"}, False),
        ("a in ()", {"a": ""}, True),
        ("a in (,x)", {"a": ""}, True),
        ("a in (x,,y)", {"a": ""}, True),
        ("a notin (x,y)", {}, True),
        ("a notin(x)", {"a": "x"}, False),
        ("in in (in,notin)", {"in": "notin"}, True),
        ("a>1", {"a": "2"}, True),
        ("a>1", {"a": "1"}, False),
        ("a>1", {"a": "x"}, False),
        ("a>1", {}, False),
        ("a<10", {"a": "9"}, True),
        ("a=b,a=c", {"a": "b"}, False),
        ("example.com/a=b,c!=d", {"example.com/a": "b", "c": "e"}, True),
    ],
)
def test_a_selector_matches_exactly_the_labels_that_meet_it(
    text: str, labels: dict[str, str], *, matches: bool
) -> None:
    assert parse_label_selector(text).matches(labels) == matches


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a b", f"{_UNPARSABLE}found 'b', expected: {_OPERATORS}"),
        ("a in", f"{_UNPARSABLE}found '' expected: '('"),
        ("a in (", f"{_UNPARSABLE}found '', expected: ',', ')' or identifier"),
        ("a in (b", f"{_UNPARSABLE}found '', expected: ',' or ')'"),
        ("a in (b c)", f"{_UNPARSABLE}found 'c', expected: ',' or ')'"),
        ("a in (b,!c)", f"{_UNPARSABLE}found '!', expected: ',', or identifier"),
        ("a in )", f"{_UNPARSABLE}found ')' expected: '('"),
        ("a in (!b)", f"{_UNPARSABLE}found '!', expected: ',', ')' or identifier"),
        ("a in (b))", "found ')', expected: ',' or 'end of string'"),
        ("!", f"{_UNPARSABLE}found '', expected: identifier"),
        ("!a=b", "found '=', expected: ',' or 'end of string'"),
        ("a!b", f"{_UNPARSABLE}found '!', expected: {_OPERATORS}"),
        ("a\0b", f"{_UNPARSABLE}found 'b', expected: {_OPERATORS}"),
        ("a<=1", f"{_UNPARSABLE}found '=', expected: identifier"),
        ("a===b", f"{_UNPARSABLE}found '=', expected: identifier"),
        ("a=b=c", "found '=', expected: ',' or 'end of string'"),
        ("a,,b", "found ',', expected: identifier after ','"),
        (",a", "found ',', expected: !, identifier, or 'end of string'"),
        ("=a", "found '=', expected: !, identifier, or 'end of string'"),
        ("a=(", f"{_UNPARSABLE}found '(', expected: identifier"),
        (
            "a>x",
            f"{_UNPARSABLE}values[0]: Invalid value: \"x\": for 'Gt', 'Lt' operators, the value must be an integer",
        ),
        ("a=-b", f'{_UNPARSABLE}values[0][a]: Invalid value: "-b": {_NOT_A_VALUE}'),
        (
            "a in (-b,_c)",
            (
                f'{_UNPARSABLE}[values[0][a]: Invalid value: "-b": {_NOT_A_VALUE}, '
                f'values[1][a]: Invalid value: "_c": {_NOT_A_VALUE}]'
            ),
        ),
        (f"a={64 * 'x'}", f'{_UNPARSABLE}values[0][a]: Invalid value: "{64 * "x"}": must be no more than 63 bytes'),
        ("/x", f'{_UNPARSABLE}<nil>: Invalid value: "/x": prefix part must be non-empty'),
        (
            "a/",
            f'{_UNPARSABLE}<nil>: Invalid value: "a/": name part must be non-empty; name part {_NOT_A_NAME}',
        ),
        (
            "x/y/z",
            (
                f'{_UNPARSABLE}<nil>: Invalid value: "x/y/z": a valid label key {_NOT_A_NAME} '
                "with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
            ),
        ),
    ],
)
def test_a_text_that_is_no_selector_is_refused_as_the_real_server_refuses_it(text: str, message: str) -> None:
    with pytest.raises(BadRequest) as refusal:
        parse_label_selector(text)

    assert refusal.value.status.message == message


def test_only_the_empty_selector_is_everything() -> None:
    assert parse_label_selector("").is_everything
    assert not parse_label_selector("a").is_everything
    assert not NOTHING.is_everything


def test_exact_holds_the_labels_that_every_match_has() -> None:
    selector = parse_label_selector("a=b,c in (d),e in (f,g),h!=i")

    assert selector.exact == {"a": "b", "c": "d"}


def test_text_of_a_selector_is_sorted_by_key_and_value() -> None:
    assert str(parse_label_selector("b in (y, x),a==1,!c,d,e>2, f!=3")) == "a==1,b in (x,y),!c,d,e>2,f!=3"


def test_an_absent_selector_object_selects_nothing_and_an_empty_one_everything() -> None:
    assert label_selector_from_object(None) == NOTHING
    assert not label_selector_from_object(None).matches({})
    assert label_selector_from_object({}) == EVERYTHING


def test_all_parts_of_a_selector_object_must_match() -> None:
    selector = label_selector_from_object(
        {
            "matchLabels": {"a": "b"},
            "matchExpressions": [
                {"key": "c", "operator": "In", "values": ["x", "y"]},
                {"key": "d", "operator": "NotIn", "values": ["z"]},
                {"key": "e", "operator": "Exists"},
                {"key": "f", "operator": "DoesNotExist"},
            ],
        }
    )

    assert str(selector) == "a=b,c in (x,y),d notin (z),e,!f"
    assert selector.matches({"a": "b", "c": "y", "e": ""})
    assert not selector.matches({"a": "b", "c": "y", "e": "", "f": "1"})


def test_a_selector_object_with_an_unknown_operator_is_refused() -> None:
    with pytest.raises(ValueError, match='"Like" is not a valid label selector operator'):
        label_selector_from_object({"matchExpressions": [{"key": "a", "operator": "Like"}]})
