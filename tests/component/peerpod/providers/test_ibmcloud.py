"""What is IBM's own."""

from collections.abc import Iterator

import pytest

from controllers.peerpod.provider import (
    AuthFailed,
    CloudProvider,
    Gone,
    Hints,
    ProviderError,
    SettingsMissing,
    Throttled,
    Transient,
)
from controllers.peerpod.providers.ibmcloud import IbmCloudProvider
from tests.component.peerpod.providers.fake_cloud import RESET, Answer, FakeCloud
from tests.component.peerpod.providers.stages import Stage, ibm_stage

LIMIT_SECONDS = 60.0


@pytest.fixture
def stage(cloud: FakeCloud) -> Stage:
    return ibm_stage(cloud)


@pytest.fixture
def provider(stage: Stage) -> Iterator[CloudProvider]:
    made = stage.provider()
    yield made
    made.close()


def _failure(provider: CloudProvider, stage: Stage) -> ProviderError:
    with pytest.raises(ProviderError) as failed:
        provider.delete(stage.instance_id, Hints(), LIMIT_SECONDS)
    assert stage.settings["IBMCLOUD_API_KEY"] not in str(failed.value)
    return failed.value


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(400, {"errorCode": "BXNIM0415E", "errorMessage": "ibm-api-key could not be found"}), AuthFailed),
        (Answer(401, {"errorMessage": "ibm-api-key"}), AuthFailed),
        (Answer(429, {"errorMessage": "slow down"}), Throttled),
        (Answer(500, "oh"), Transient),
        (RESET, Transient),
    ],
)
def test_a_failure_of_iam_is_of_its_class(
    provider: CloudProvider, stage: Stage, answer: Answer, expected: type[ProviderError]
) -> None:
    stage.cloud.answer("POST", stage.token_path, answer)

    assert type(_failure(provider, stage)) is expected
    assert stage.cloud.asked_of("POST", stage.token_path) == 1


@pytest.mark.timeout(50)
def test_after_a_failure_of_iam_the_next_attempt_need_not_wait(provider: CloudProvider, stage: Stage) -> None:
    token = stage.cloud._routes["POST", stage.token_path][0]
    stage.cloud.answer("POST", stage.token_path, Answer(500, "oh"), token)
    stage.cloud.answer("GET", stage.path, stage.error(404))
    _failure(provider, stage)

    assert provider.delete(stage.instance_id, Hints(), LIMIT_SECONDS) == Gone()


def test_the_endpoint_is_that_of_the_zone(stage: Stage) -> None:
    provider = IbmCloudProvider({"IBMCLOUD_API_KEY": "k", "IBMCLOUD_ZONE": "us-south-2"})

    assert provider._client.service_url == "https://us-south.iaas.cloud.ibm.com/v1"


@pytest.mark.parametrize("zone", ["us south", "us-south", "evil.example/x-1"])
def test_a_zone_that_is_none_is_refused(zone: str) -> None:
    with pytest.raises(AuthFailed, match="IBMCLOUD_ZONE"):
        IbmCloudProvider({"IBMCLOUD_API_KEY": "k", "IBMCLOUD_ZONE": zone})


def test_without_key_and_profile_both_are_named(stage: Stage) -> None:
    with pytest.raises(SettingsMissing) as refused:
        stage.provider(IBMCLOUD_API_KEY="")

    assert refused.value.keys == ("IBMCLOUD_API_KEY", "IBMCLOUD_IAM_PROFILE_ID")


def test_a_profile_without_the_token_of_the_pod_is_no_credential(stage: Stage) -> None:
    provider = stage.provider(IBMCLOUD_API_KEY="", IBMCLOUD_IAM_PROFILE_ID="Profile-secret-id")

    failed = _failure(provider, stage)

    assert type(failed) is AuthFailed
    assert "vault-token" in str(failed)
    assert "Profile-secret-id" not in str(failed)
    provider.close()
