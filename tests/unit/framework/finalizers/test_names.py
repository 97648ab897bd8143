"""Names of finalizers."""

import pytest

from framework.errors import ConfigurationError
from framework.finalizers.finalizer import checked_name


@pytest.mark.parametrize("name", ["example.dev/cleanup", "a.b/C_d.e-f", "peer.pod/finalizer", f"a.b/{'x' * 63}"])
def test_a_domain_and_a_name_are_accepted(name: str) -> None:
    assert checked_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "cleanup",
        "orphan",
        "foregroundDeletion",
        "example.dev/",
        "/cleanup",
        "example/cleanup",
        "Example.dev/cleanup",
        "example.dev/a/b",
        "example.dev/-a",
        "example..dev/a",
        "example.dev/a\n",
        "example.dev/a b",
        f"example.dev/{'x' * 64}",
        f"{'a.' * 127}dev/x",
    ],
)
def test_anything_else_is_refused_where_the_controller_is_made(name: str) -> None:
    with pytest.raises(ConfigurationError, match=r"it needs a domain and a name: example\.dev/cleanup"):
        checked_name(name)
