import pytest

from controllers.cfapi.endpoints.absent import empty_list
from controllers.cfapi.router import Route, Router

ROUTER = Router([Route("GET", "/a/{one}/b", empty_list), Route("GET", "/a/{one}/{two}", empty_list)])


def test_slash_that_is_encoded_is_part_of_a_name() -> None:
    match = ROUTER.match("GET", "/a/x%2F..%2Fy/b")

    assert match is not None
    assert (match.route.pattern, match.parameters) == ("/a/{one}/b", {"one": "x/../y"})


@pytest.mark.parametrize(("method", "path"), [("PUT", "/a/x/b"), ("GET", "/a//b"), ("GET", "/a/x"), ("GET", "/")])
def test_no_other_path_leads_anywhere(method: str, path: str) -> None:
    assert ROUTER.match(method, path) is None
