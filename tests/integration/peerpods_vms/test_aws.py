"""What EC2 says, in the words of a provider."""

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from controllers.peerpod.provider import (
    Accepted,
    AuthFailed,
    Busy,
    CloudProvider,
    Gone,
    Hints,
    InvalidInstanceID,
    Permanent,
    ProviderError,
    SettingsMissing,
    Throttled,
    Transient,
)
from controllers.peerpod.providers.aws import AwsProvider
from tests.integration.peerpods_vms.ec2 import REGION, Asked, Ec2, Refusal
from tests.integration.peerpods_vms.world import KEY_ID, SECRET_KEY

UNKNOWN = "i-0123456789abcdef0"
OLD, NEW = Hints(peer_pod_age_seconds=3600.0), Hints(peer_pod_age_seconds=5.0)


@pytest.fixture(scope="module")
def settings(moto: Ec2) -> dict[str, str]:
    return {
        "AWS_ACCESS_KEY_ID": KEY_ID,
        "AWS_SECRET_ACCESS_KEY": SECRET_KEY,
        "AWS_REGION": REGION,
        "AWS_ENDPOINT_URL_EC2": moto.url,
    }


@pytest.fixture(scope="module")
def provider(settings: dict[str, str]) -> Iterator[AwsProvider]:
    made = AwsProvider(settings)
    yield made
    made.close()


def refuse(ec2: Ec2, action: str, refusal: Refusal) -> None:
    def rule(asked: Asked) -> Refusal | None:
        return refusal if asked.action == action else None

    ec2.answer_by(rule)


def test_it_is_a_provider(provider: AwsProvider) -> None:
    assert isinstance(provider, CloudProvider)
    assert set(provider.secret_keys) | set(provider.location_keys) == set(provider.settings_keys)


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("RequestLimitExceeded", 400, Throttled),
        ("Throttling", 400, Throttled),
        ("ThrottlingException", 400, Throttled),
        ("ServiceUnavailable", 503, Throttled),
        ("TooManyRequests", 429, Throttled),
        ("AuthFailure", 401, AuthFailed),
        ("UnauthorizedOperation", 403, AuthFailed),
        ("ExpiredToken", 400, AuthFailed),
        ("InvalidClientTokenId", 403, AuthFailed),
        ("SignatureDoesNotMatch", 403, AuthFailed),
        ("OperationNotPermitted", 400, Permanent),
        ("IncorrectInstanceState", 400, Busy),
        ("InvalidInstanceID.Malformed", 400, InvalidInstanceID),
        ("InternalError", 500, Transient),
        ("SomethingNew", 400, Transient),
    ],
)
def test_each_code_has_its_class(
    ec2: Ec2, provider: AwsProvider, code: str, status: int, kind: type[ProviderError]
) -> None:
    instance = ec2.run_instance()
    refuse(ec2, "TerminateInstances", Refusal(code, status))

    with pytest.raises(kind) as raised:
        provider.delete(instance, OLD, 40.0)

    assert type(raised.value) is kind or kind is AuthFailed
    assert code in str(raised.value)
    assert len(ec2.asked("TerminateInstances", instance)) == 1


def test_termination_protection_is_a_refusal(ec2: Ec2, provider: AwsProvider) -> None:
    instance = ec2.run_instance()
    refuse(ec2, "TerminateInstances", Refusal("OperationNotPermitted"))

    with pytest.raises(Permanent) as raised:
        provider.delete(instance, OLD, 40.0)

    assert raised.value.reason == "DeletionRefused"


def test_a_server_that_is_not_there_is_passing(settings: dict[str, str]) -> None:
    provider = AwsProvider({**settings, "AWS_ENDPOINT_URL_EC2": "http://127.0.0.1:1"})

    with pytest.raises(Transient):
        provider.delete(UNKNOWN, OLD, 40.0)

    provider.close()


def test_an_instance_that_is_not_found_is_gone_but_may_be_too_new(provider: AwsProvider) -> None:
    assert provider.delete(UNKNOWN, OLD, 40.0) == Gone()
    with pytest.raises(Transient):
        provider.delete(UNKNOWN, NEW, 40.0)


def test_an_instance_is_terminated_once(ec2: Ec2, provider: AwsProvider) -> None:
    instance = ec2.run_instance()

    outcomes = [provider.delete(instance, NEW, 40.0) for _ in range(2)]

    assert outcomes == [Accepted(), Gone()]
    assert len(ec2.asked("TerminateInstances", instance)) == 1


def test_an_address_of_an_instance_that_is_gone_is_found_by_its_tag(ec2: Ec2, provider: AwsProvider) -> None:
    tags = [{"ResourceType": "elastic-ip", "Tags": [{"Key": "Name", "Value": f"eip-{UNKNOWN}"}]}]
    address = ec2.client().allocate_address(Domain="vpc", TagSpecifications=tags)["AllocationId"]

    assert provider.delete(UNKNOWN, OLD, 40.0) == Gone()

    assert not ec2.has_address(address)


def test_an_address_that_another_instance_has_stays_whatever_its_tag_says(ec2: Ec2, provider: AwsProvider) -> None:
    address = ec2.give_address(ec2.run_instance())
    ec2.client().create_tags(Resources=[address], Tags=[{"Key": "Name", "Value": f"eip-{UNKNOWN}"}])

    provider.delete(UNKNOWN, OLD, 40.0)

    assert ec2.has_address(address)


def test_an_address_that_cannot_be_released_does_not_keep_the_instance_but_the_failure_is_told(
    ec2: Ec2, provider: AwsProvider
) -> None:
    instance = ec2.run_instance()
    address = ec2.give_address(instance)
    refuse(ec2, "ReleaseAddress", Refusal("InternalError", 500))

    with pytest.raises(Transient):
        provider.delete(instance, OLD, 40.0)

    assert ec2.state_of(instance) == "terminated"
    ec2.answer_by(None)
    tag = [{"Key": "Name", "Value": f"eip-{instance}"}]
    ec2.client().create_tags(Resources=[address], Tags=tag)
    assert provider.delete(instance, OLD, 40.0) == Gone()
    assert not ec2.has_address(address)


def test_who_may_not_see_addresses_can_delete_all_the_same(ec2: Ec2, provider: AwsProvider) -> None:
    instance = ec2.run_instance()
    refuse(ec2, "DescribeAddresses", Refusal("UnauthorizedOperation", 403))

    outcome = provider.delete(instance, OLD, 40.0)

    assert isinstance(outcome, Accepted)
    assert [note.is_warning for note in outcome.notes] == [True]
    assert ec2.state_of(instance) == "terminated"


@pytest.mark.parametrize(("guard", "state"), [("enforce", "running"), ("warn", "terminated"), ("off", "terminated")])
def test_the_name_decides(
    ec2: Ec2, provider: AwsProvider, guard: Literal["enforce", "warn", "off"], state: str
) -> None:
    instance = ec2.run_instance("prod-db")
    address = ec2.give_address(instance)
    hints = Hints(peer_pod_age_seconds=3600.0, name_guard=guard)

    reasons = []
    try:
        reasons = [note.reason for note in provider.delete(instance, hints, 40.0).notes]
    except Permanent as error:
        reasons = [error.reason]

    assert (ec2.state_of(instance), ec2.has_address(address)) == (state, state == "running")
    assert reasons == ([] if guard == "off" else ["NotAPodVM"])


@pytest.mark.parametrize(
    "instance", ["", "i-123", "i-0123456789ABCDEF0", "i-0123456789abcdef0 ", "vm-1", "i-01234567\n"]
)
def test_what_is_no_id_is_refused(provider: AwsProvider, instance: str) -> None:
    with pytest.raises(InvalidInstanceID):
        provider.validate_instance_id(instance)


@pytest.mark.parametrize("instance", ["i-01234567", UNKNOWN])
def test_what_is_an_id_is_not(provider: AwsProvider, instance: str) -> None:
    provider.validate_instance_id(instance)


def test_the_environment_and_the_files_of_the_machine_do_not_count(
    ec2: Ec2, settings: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "config").write_text("[default]\nregion = eu-north-1\n")
    for name, value in {
        "AWS_ACCESS_KEY_ID": "of-the-environment",
        "AWS_SECRET_ACCESS_KEY": "of-the-environment",
        "AWS_PROFILE": "that-does-not-exist",
        "AWS_REGION": "eu-south-1",
        "AWS_ENDPOINT_URL": "http://127.0.0.1:1",
        "AWS_CONFIG_FILE": str(tmp_path / "config"),
    }.items():
        monkeypatch.setenv(name, value)
    instance = ec2.run_instance()
    provider = AwsProvider(settings)

    provider.delete(instance, OLD, 40.0)
    provider.close()

    assert {(each.key_id, each.region) for each in ec2.asked()} == {(KEY_ID, REGION)}


def test_without_credentials_and_without_an_identity_of_the_machine_it_is_nobody(
    settings: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    anonymous = {key: value for key, value in settings.items() if key not in AwsProvider.secret_keys}
    provider = AwsProvider(anonymous)

    with pytest.raises(AuthFailed):
        provider.delete(UNKNOWN, OLD, 40.0)

    provider.close()


def test_without_a_region_it_is_told_which_key_is_missing(
    settings: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    provider = AwsProvider({key: value for key, value in settings.items() if key != "AWS_REGION"})

    with pytest.raises(SettingsMissing, match="AWS_REGION"):
        provider.delete(UNKNOWN, OLD, 40.0)
    provider.close()


def test_no_call_begins_after_the_time_is_over(ec2: Ec2, provider: AwsProvider) -> None:
    with pytest.raises(Transient):
        provider.delete(ec2.run_instance(), OLD, 0.0)

    assert ec2.asked() == []
