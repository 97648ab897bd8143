import pytest

from controllers.ociregistry.errors import InvalidReference
from controllers.ociregistry.reference import parse_reference, parse_repository

DIGEST = f"sha256:{'0' * 64}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nginx", "docker.io/library/nginx:latest"),
        ("acme/app:1", "docker.io/acme/app:1"),
        ("index.docker.io/acme/app", "docker.io/acme/app:latest"),
        ("registry.example/app", "registry.example/app:latest"),
        ("registry.example:5000/a/b/c:v1.2_3", "registry.example:5000/a/b/c:v1.2_3"),
        ("localhost/app:1", "localhost/app:1"),
        ("127.0.0.1:5000/app", "127.0.0.1:5000/app:latest"),
        ("[::1]:5000/app:1", "[::1]:5000/app:1"),
        (f"registry.example/app@{DIGEST}", f"registry.example/app@{DIGEST}"),
        (f"registry.example/app:1@{DIGEST}", f"registry.example/app:1@{DIGEST}"),
    ],
)
def test_a_reference_says_where_and_which(text: str, expected: str) -> None:
    assert str(parse_reference(text)) == expected


def test_a_name_without_a_host_is_in_the_default_registry_and_library_is_docker_hubs_alone() -> None:
    assert str(parse_reference("app:1", "registry.example:5000")) == "registry.example:5000/app:1"
    assert parse_reference("app:1").repository.host == "registry-1.docker.io"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Upper/case",
        "registry.example/Upper",
        "a//b",
        "a:",
        "a:b:c",
        "a@sha256:12",
        "a:-x",
        f"a/{'b' * 300}",
        "../../etc",
        "host.example/",
        "a b",
        "http://registry.example/a",
        "a\n",
    ],
)
def test_a_text_that_names_no_image_is_refused(text: str) -> None:
    with pytest.raises(InvalidReference):
        parse_reference(text)


@pytest.mark.parametrize(
    ("text", "is_on_loopback"),
    [("localhost:5000/a", True), ("127.0.0.1/a", True), ("[::1]:5000/a", True), ("localhost.example/a", False)],
)
def test_loopback_is_what_only_this_machine_can_reach(text: str, is_on_loopback: bool) -> None:  # noqa: FBT001 - of a table
    assert parse_repository(text).is_on_loopback is is_on_loopback
