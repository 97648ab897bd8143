"""What a request is about."""

import pytest

from framework.apiserver.rest.request_info import MalformedPath, RequestInfo, request_info, split_target
from framework.errors import BadRequest


def about(method: str, path: str, *, is_watch: bool = False) -> RequestInfo:
    return request_info(method, path, is_watch=is_watch)


@pytest.mark.parametrize(
    ("method", "path", "found"),
    [
        ("GET", "/api/v1/namespaces/a/pods", ("list", "pods", "a", "", "")),
        ("GET", "/api/v1/namespaces/a/pods/b", ("get", "pods", "a", "b", "")),
        ("HEAD", "/api/v1/namespaces/a/pods/b", ("get", "pods", "a", "b", "")),
        ("PUT", "/api/v1/namespaces/a/pods/b/status", ("update", "pods", "a", "b", "status")),
        ("DELETE", "/api/v1/namespaces/a/pods", ("deletecollection", "pods", "a", "", "")),
        ("DELETE", "/api/v1/namespaces/a/pods/b", ("delete", "pods", "a", "b", "")),
        ("POST", "/api/v1/namespaces/a/pods", ("create", "pods", "a", "", "")),
        ("GET", "/api/v1/pods", ("list", "pods", "", "", "")),
        ("GET", "/api/v1/namespaces", ("list", "namespaces", "", "", "")),
        ("GET", "/api/v1/namespaces/a", ("get", "namespaces", "a", "a", "")),
        ("PUT", "/api/v1/namespaces/a/finalize", ("update", "namespaces", "a", "a", "finalize")),
        ("GET", "/apis/apps/v1/namespaces/a/deployments/b/scale", ("get", "deployments", "a", "b", "scale")),
        ("GET", "/apis/apps/v1/deployments/", ("list", "deployments", "", "", "")),
        ("PROPFIND", "/api/v1/pods", ("propfind", "pods", "", "", "")),
    ],
)
def test_method_and_path_tell_verb_and_object(method: str, path: str, found: tuple[str, ...]) -> None:
    info = about(method, path)

    assert (info.verb, info.resource, info.namespace, info.name, info.subresource) == found


@pytest.mark.parametrize(
    "path",
    ["/", "", "/api", "/api/v1", "/apis", "/apis/apps", "/apis/apps/v1", "/version", "//api/v1/pods", "/healthz"],
)
def test_other_paths_are_not_about_objects(path: str) -> None:
    assert not about("GET", path).is_resource


def test_a_list_with_watch_is_a_watch() -> None:
    assert about("GET", "/api/v1/pods", is_watch=True).verb == "watch"


def test_escapes_are_read_before_the_path_is_split() -> None:
    info = about("GET", "/api%2fv1/namespaces/a/pods/b%2fc")

    assert (info.resource, info.name, info.subresource) == ("pods", "b", "c")


@pytest.mark.parametrize("path", ["/api/v1/pods/%", "/api/v1/pods/%zz", "/%e"])
def test_a_broken_escape_is_no_path(path: str) -> None:
    with pytest.raises(MalformedPath):
        about("GET", path)


def test_an_empty_namespace_is_told_from_none() -> None:
    assert about("GET", "/api/v1/namespaces//pods").lacks_namespace
    assert not about("GET", "/api/v1/pods").lacks_namespace


@pytest.mark.parametrize("path", ["/api/v1/namespaces/a//pods", "/api//pods/a", "/apis/apps//deployments/a"])
def test_an_empty_segment_elsewhere_is_nothing_that_is_served(path: str) -> None:
    assert not about("GET", path).is_resource


def test_what_lies_beyond_a_subresource_is_kept() -> None:
    assert about("GET", "/api/v1/namespaces/a/pods/b/proxy/c/d").rest == ("c", "d")


def test_of_a_repeated_parameter_the_first_counts() -> None:
    _, query = split_target("/?limit=1&limit=2&dryRun=All&dryRun=x")

    assert (query.get("limit"), query.all("dryRun"), query.get("nothing")) == ("1", ["All", "x"], "")


def test_parameters_that_go_does_not_read_are_not_there() -> None:
    _, query = split_target("/?a=%zz&b=1;c=2&d=%41")

    assert (query.all("a"), query.all("b"), query.get("d")) == ([], [], "A")


@pytest.mark.parametrize(
    ("text", "is_set"), [("", False), ("a", True), ("a=", True), ("a=false", False), ("a=0", False), ("a=x", True)]
)
def test_a_flag_is_set_by_anything_but_a_no(text: str, *, is_set: bool) -> None:
    assert split_target(f"/?{text}")[1].flag("a") is is_set


@pytest.mark.parametrize(("text", "number"), [("5", 5), ("-1", -1), ("+7", 7), ("9223372036854775807", 2**63 - 1)])
def test_numbers_are_those_of_go(text: str, number: int) -> None:
    assert split_target(f"/?a={text.replace('+', '%2b')}")[1].int64("a") == number


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "invalid syntax"),
        ("x", "invalid syntax"),
        ("1_0", "invalid syntax"),
        ("%201", "invalid syntax"),
        ("%D9%A3", "invalid syntax"),
        ("9223372036854775808", "value out of range"),
        ("9" * 5000, "value out of range"),
    ],
)
def test_what_is_no_number_to_go_is_refused_in_its_words(text: str, why: str) -> None:
    _, query = split_target(f"/?a={text}")

    with pytest.raises(BadRequest, match=f"^strconv.ParseInt: parsing .*: {why}$"):
        query.int64("a")
