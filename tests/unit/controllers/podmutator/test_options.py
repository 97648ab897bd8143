"""What the environment says."""

from pathlib import Path

import pytest

from controllers.podmutator import MutatorOptions, mutator_options
from controllers.podmutator.server import serve_options
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


def test_addresses_and_the_folder_of_the_certificate_are_read() -> None:
    found = serve_options({"WEBHOOK_BIND_ADDRESS": ":10250", "WEBHOOK_CERT_DIR": "/certificates"})

    assert (found.address, found.health_address, found.certificate_folder) == (":10250", ":8081", Path("/certificates"))


def test_what_is_no_address_is_refused() -> None:
    with pytest.raises(ConfigurationError, match=r"^HEALTH_PROBE_BIND_ADDRESS is not HOST:PORT or :PORT$"):
        serve_options({"HEALTH_PROBE_BIND_ADDRESS": "8081"})


def test_an_unknown_aggregation_is_refused() -> None:
    with pytest.raises(ConfigurationError, match="RESOURCE_AGGREGATION"):
        mutator_options({"RESOURCE_AGGREGATION": "max"})
