"""Our rules of the built-in kinds against those of the real server."""

from collections.abc import Iterator
from typing import Any

import pytest

from framework.client import Client, connect, from_kubeconfig
from framework.clock import SystemClock
from framework.testing.control_plane import ControlPlane
from tests.conformance.builtin.manifests import MINIMAL, RICH, Manifest
from tests.conformance.builtin.refusals import INVALID
from tests.conformance.builtin.servers import (
    create_embedded,
    create_on_real,
    masked,
    update_embedded,
    update_on_real,
)
from tests.conformance.builtin.updates import UPDATES, Update


@pytest.fixture(scope="module")
def real(second_control_plane: ControlPlane) -> Iterator[Client]:
    """The one without controllers, which would answer to what is created here."""
    connected = connect(from_kubeconfig(str(second_control_plane.kubeconfig), clock=SystemClock()))
    yield connected
    connected.connection.close()


@pytest.mark.parametrize("manifest", MINIMAL.values(), ids=MINIMAL)
def test_a_minimal_object_gets_the_same_defaults(real: Client, manifest: Manifest) -> None:
    assert masked(create_embedded(manifest)) == masked(create_on_real(real, manifest))


@pytest.mark.parametrize("manifest", RICH.values(), ids=RICH)
def test_a_rich_object_is_stored_in_the_same_form(real: Client, manifest: Manifest) -> None:
    assert masked(create_embedded(manifest)) == masked(create_on_real(real, manifest))


@pytest.mark.parametrize("manifest", INVALID.values(), ids=INVALID)
def test_an_invalid_object_is_refused_in_the_same_words(real: Client, manifest: Manifest) -> None:
    expected = create_on_real(real, manifest)

    answer = create_embedded(manifest)

    assert expected["kind"] == "Status"
    assert refusal(answer) == refusal(expected)


@pytest.mark.parametrize("update", UPDATES.values(), ids=UPDATES)
def test_an_update_has_the_same_outcome(real: Client, update: Update) -> None:
    expected = update_on_real(real, *update)

    answer = update_embedded(*update)

    if expected["kind"] == "Status":
        assert refusal(answer) == refusal(expected)
    else:
        assert masked(answer) == masked(expected)


def refusal(status: dict[str, Any]) -> dict[str, Any]:
    """Code, reason and causes, or the message where there are none. Go's maps have no order, so causes have none."""
    causes = status.get("details", {}).get("causes")
    why = sorted(causes, key=str) if causes else status.get("message")
    return {"code": status.get("code"), "reason": status.get("reason"), "why": why}
