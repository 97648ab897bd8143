"""Label selectors, as kubectl writes them."""

import pytest

from framework.store import LabelSelector

WEB = {"app": "web", "tier": "front", "empty": "", "example.com/x": "1"}


@pytest.mark.parametrize(
    "selector",
    [
        "",
        "  ",
        "app",
        "app=web",
        "app==web",
        "app = web",
        "empty=",
        "app!=db",
        "missing!=db",
        "!missing",
        "! missing",
        "app in (web)",
        "app in (db, web)",
        "app in(web)",
        "app notin (db,cache)",
        "missing notin (a)",
        "empty in ()",
        "example.com/x=1",
        "app=web,tier=front",
        "app=web, tier in (front,back), !missing",
        "app in (a,web),tier notin (c,d)",
    ],
)
def test_matches(selector: str) -> None:
    assert LabelSelector.parse(selector).matches(WEB)


@pytest.mark.parametrize(
    "selector",
    [
        "missing",
        "!app",
        "app=db",
        "app!=web",
        "missing=web",
        "missing in (web)",
        "app notin (web,db)",
        "app in ()",
        "app=web,tier=back",
        "app in (web),!tier",
    ],
)
def test_does_not_match(selector: str) -> None:
    assert not LabelSelector.parse(selector).matches(WEB)


@pytest.mark.parametrize(
    "selector",
    [
        ",",
        "app,",
        "app=web,,tier",
        "=web",
        "a=b=c",
        "a!b",
        "!app=web",
        "!app in (web)",
        "app in web",
        "app in (web",
        "app in (web))",
        "app in ((web))",
        "app within (web)",
        "cpu>1",
        "a b",
        "app=we b",
        "app=(web)",
    ],
)
def test_what_is_no_selector_is_refused_with_what_would_be_one(selector: str) -> None:
    with pytest.raises(ValueError, match=r"is none of: key, !key, key=value"):
        LabelSelector.parse(selector)
