"""What needs a kubelet, or another API server, is refused by name."""

import pytest

from tests.component.program import Program

pytestmark = pytest.mark.embedded_only

NEEDS_A_KUBELET = {
    "log": "logs alone",
    "exec": "exec alone -- ls",
    "attach": "attach alone",
}


@pytest.mark.parametrize("subresource", NEEDS_A_KUBELET)
def test_subresource_that_needs_a_kubelet_is_refused_by_name(subresource: str, sampled: Program) -> None:
    refused = sampled(*NEEDS_A_KUBELET[subresource].split(), code=1)

    assert f"the embedded API server does not support the subresource '{subresource}' of pods" in refused


def test_metrics_are_not_available(sampled: Program) -> None:
    assert "Metrics API not available" in sampled("top", "pods", code=1)


def test_kind_that_is_not_served_is_not_known(sampled: Program) -> None:
    assert 'the server doesn\'t have a resource type "pvc"' in sampled("get", "pvc", code=1)
