"""The DaemonSet of the adaptor."""

import pytest

from controllers.peerpodconfig.daemon_set import SETTINGS_HASH, daemon_set, image_of
from controllers.peerpodconfig.settings import ResolvedSettings
from controllers.peerpods.options import PeerPodOptions
from tests.unit.controllers.peerpodconfig.made import a_config

OPTIONS = PeerPodOptions(namespace="operands", adaptor_image="images.example/{provider}/adaptor")


@pytest.mark.parametrize(
    ("provider", "variable"),
    [
        ("aws", "PODVM_INSTANCE_TYPE"),
        ("alibabacloud", "PODVM_INSTANCE_TYPE"),
        ("azure", "AZURE_INSTANCE_SIZE"),
        ("gcp", "GCP_MACHINE_TYPE"),
        ("ibmcloud", "IBMCLOUD_PODVM_INSTANCE_PROFILE_NAME"),
        ("libvirt", None),
    ],
)
def test_the_type_of_vms_is_told_as_the_adaptor_of_that_cloud_reads_it(provider: str, variable: str | None) -> None:
    made = daemon_set(a_config(instanceType="small"), "ds", ResolvedSettings(provider, "hash"), OPTIONS)

    env = {each["name"]: each.get("value") for each in made["spec"]["template"]["spec"]["containers"][0]["env"]}
    fixed = {"NODE_NAME": None, "POD_UID": None, "PEERPODS_LIMIT_PER_NODE": "-1"}
    assert env == (fixed | {variable: "small"} if variable else fixed)


def test_neither_selector_nor_limit_is_in_the_template() -> None:
    settings = ResolvedSettings("aws", "hash")
    one = a_config(limit="1", nodeSelector={"a": "b"})
    two = a_config(limit="2", labelSelector={"matchLabels": {"c": "d"}})

    assert daemon_set(one, "ds", settings, OPTIONS) == daemon_set(two, "ds", settings, OPTIONS)


def test_the_hash_of_the_settings_is_there_only_if_they_shall_restart_it() -> None:
    settings = ResolvedSettings("aws", "hash")
    restarting = daemon_set(a_config(), "ds", settings, OPTIONS)
    staying = daemon_set(a_config(restartOnSettingsChange=False), "ds", settings, OPTIONS)

    assert restarting["spec"]["template"]["metadata"]["annotations"] == {SETTINGS_HASH: "hash"}
    assert "annotations" not in staying["spec"]["template"]["metadata"]


def test_only_a_config_in_the_namespace_of_the_operands_owns_them() -> None:
    settings = ResolvedSettings("aws", "hash")

    assert "ownerReferences" in daemon_set(a_config(), "ds", settings, OPTIONS)["metadata"]
    elsewhere = daemon_set(a_config(namespace="elsewhere"), "ds", settings, OPTIONS)
    assert "ownerReferences" not in elsewhere["metadata"]


def test_the_image_of_the_spec_comes_before_that_of_the_process_and_names_the_provider() -> None:
    assert image_of(a_config(), "aws", OPTIONS) == "images.example/aws/adaptor"
    assert image_of(a_config(image="own/{provider}:2"), "gcp", OPTIONS) == "own/gcp:2"
