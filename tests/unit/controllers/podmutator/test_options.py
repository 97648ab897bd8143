"""What the environment says."""

import pytest

from controllers.podmutator import MutatorOptions, mutator_options
from framework.errors import ConfigurationError


def test_an_empty_environment_gives_the_defaults() -> None:
    assert mutator_options({}) == MutatorOptions(("kata-remote",), "kata.peerpods.io/vm", "sum")
    assert mutator_options({"TARGET_RUNTIMECLASS": " , ", "POD_VM_EXTENDED_RESOURCE": ""}) == MutatorOptions()


def test_variables_are_read() -> None:
    found = mutator_options(
        {
            "TARGET_RUNTIMECLASS": "a, b,",
            "POD_VM_EXTENDED_RESOURCE": "x.io/vm",
            "RESOURCE_AGGREGATION": "effective",
        }
    )

    assert found == MutatorOptions(("a", "b"), "x.io/vm", "effective")


def test_an_unknown_aggregation_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="RESOURCE_AGGREGATION"):
        mutator_options({"RESOURCE_AGGREGATION": "max"})
