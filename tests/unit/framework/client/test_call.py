import pytest

from framework.client import Call
from framework.client.call import path_segment
from framework.errors import TerminalError


def test_a_query_is_quoted_without_plus_signs() -> None:
    call = Call("list", "GET", "/api/v1/pods", {"labelSelector": "a in (b, c),d!=e", "continue": "x+/=="})

    assert call.target == "/api/v1/pods?labelSelector=a%20in%20%28b%2C%20c%29%2Cd%21%3De&continue=x%2B%2F%3D%3D"


def test_a_call_without_a_query_has_no_question_mark() -> None:
    assert Call("get", "GET", "/version").target == "/version"


@pytest.mark.parametrize("name", ["a", "my-pod.1", "system:controller:x", "kube_system"])
def test_an_ordinary_name_stands_as_it_is_in_the_path(name: str) -> None:
    assert path_segment(name) == name


@pytest.mark.parametrize(("name", "spelt"), [("a b", "a%20b"), ("a?x=1", "a%3Fx%3D1"), ("a#b", "a%23b"), (".a", ".a")])
def test_an_odd_name_is_quoted(name: str, spelt: str) -> None:
    assert path_segment(name) == spelt


@pytest.mark.parametrize("name", [".", "..", "../secrets/x", "a/b", "a%2fb"])
def test_a_name_that_leads_elsewhere_is_refused(name: str) -> None:
    with pytest.raises(TerminalError, match="cannot be the name"):
        path_segment(name)
