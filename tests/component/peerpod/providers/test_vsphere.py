"""The provider on govmomi's simulation of a vCenter; and on a server of the test for what that does not do."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from urllib.parse import urlsplit

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
from controllers.peerpod.providers.vsphere import VsphereProvider
from tests.component.peerpod.providers.fake_cloud import RESET, SILENCE, Answer, FakeCloud
from tests.component.peerpod.providers.vcenter import (
    BUSY_VM,
    LASTING_VM,
    PASSWORD,
    USER,
    VCenter,
    built_simulator,
    thumbprint_of,
)

LIMIT_SECONDS = 60.0
NOWHERE = "00000000-0000-0000-0000-000000000000"


@pytest.fixture(scope="module")
def vcenter() -> Iterator[VCenter]:
    with VCenter(built_simulator()) as started:
        yield started


@pytest.fixture
def provider(vcenter: VCenter) -> Iterator[VsphereProvider]:
    made = VsphereProvider(vcenter.settings)
    yield made
    made.close()


def _delete(provider: VsphereProvider, instance_id: str, **hints: Any) -> Any:
    return provider.delete(instance_id, Hints(**hints), LIMIT_SECONDS)


def _failure(provider: VsphereProvider, instance_id: str, **hints: Any) -> ProviderError:
    with pytest.raises(ProviderError) as failed:
        _delete(provider, instance_id, **hints)
    assert USER not in str(failed.value)
    assert PASSWORD not in str(failed.value)
    return failed.value


def test_a_provider_is_what_the_contract_asks_for(provider: VsphereProvider) -> None:
    assert isinstance(provider, CloudProvider)


def test_a_running_machine_is_powered_off_and_destroyed(vcenter: VCenter, provider: VsphereProvider) -> None:
    uuid = vcenter.uuid_of(vcenter.take())

    assert _delete(provider, uuid) == Accepted()
    assert not vcenter.has(uuid)


def test_a_machine_that_is_off_is_destroyed(vcenter: VCenter, provider: VsphereProvider) -> None:
    machine = vcenter.take()
    uuid = vcenter.uuid_of(machine)
    machine.PowerOffVM_Task()

    assert _delete(provider, uuid) == Accepted()
    assert not vcenter.has(uuid)


def test_a_second_deletion_finds_nothing(vcenter: VCenter, provider: VsphereProvider) -> None:
    uuid = vcenter.uuid_of(vcenter.take())

    assert [_delete(provider, uuid), _delete(provider, uuid)] == [Accepted(), Gone()]


@pytest.mark.parametrize("datacenter", ["", "DC0", "/DC0", "renamed-since"])
def test_a_machine_is_found_whatever_the_datacenter_is_called_now(vcenter: VCenter, datacenter: str) -> None:
    uuid = vcenter.uuid_of(vcenter.take())
    provider = VsphereProvider({**vcenter.settings, "GOVC_DATACENTER": datacenter})

    assert _delete(provider, uuid) == Accepted()
    provider.close()


def test_a_machine_of_another_name_is_left_alone(vcenter: VCenter, provider: VsphereProvider) -> None:
    uuid = vcenter.uuid_of(vcenter.take("DC0_C0_RP0_VM2"))

    failed = _failure(provider, uuid)

    assert isinstance(failed, Permanent)
    assert failed.reason == "NotAPodVM"
    assert vcenter.has(uuid)


def test_without_the_guard_it_goes(vcenter: VCenter, provider: VsphereProvider) -> None:
    uuid = vcenter.uuid_of(vcenter.take("DC0_C0_RP0_VM3"))

    assert _delete(provider, uuid, name_guard="off") == Accepted()
    assert not vcenter.has(uuid)


@pytest.mark.parametrize(("name", "expected"), [(BUSY_VM, Busy), (LASTING_VM, Transient)])
def test_a_task_that_fails_is_no_deletion(
    vcenter: VCenter, provider: VsphereProvider, name: str, expected: type[ProviderError]
) -> None:
    uuid = vcenter.uuid_of(vcenter.take(name))

    assert type(_failure(provider, uuid, name_guard="off")) is expected
    assert vcenter.has(uuid)


def test_a_session_that_was_ended_is_begun_anew(vcenter: VCenter, provider: VsphereProvider) -> None:
    assert _delete(provider, NOWHERE) == Gone()
    vcenter.end_other_sessions()

    assert _delete(provider, NOWHERE) == Gone()


def test_one_provider_serves_many_threads(vcenter: VCenter, provider: VsphereProvider) -> None:
    uuids = [vcenter.uuid_of(vcenter.take()) for _ in range(6)]

    with ThreadPoolExecutor(6) as pool:
        outcomes = list(pool.map(lambda uuid: _delete(provider, uuid), uuids))

    assert outcomes == [Accepted()] * 6
    assert provider._logins == 1


def test_a_wrong_password_is_refused(vcenter: VCenter) -> None:
    provider = VsphereProvider({**vcenter.settings, "GOVC_PASSWORD": "wrong"})

    failed = _failure(provider, NOWHERE)

    assert type(failed) is AuthFailed
    assert "InvalidLogin" in str(failed)
    provider.close()


@pytest.mark.parametrize("thumbprint", ["", "00:" * 19 + "00"])
def test_a_server_that_is_not_the_expected_one_is_told_nothing(cloud: FakeCloud, thumbprint: str) -> None:
    provider = VsphereProvider(_settings_for(cloud, GOVC_THUMBPRINT=thumbprint))

    for _ in range(2):
        failed = _failure(provider, NOWHERE)
        assert type(failed) is AuthFailed
        assert "GOVC_THUMBPRINT" in str(failed)
    assert cloud.asked == []
    provider.close()


def test_a_server_of_a_known_authority_needs_no_thumbprint(cloud: FakeCloud, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(cloud.authority_file))
    cloud.answer("POST", "/sdk", Answer(503))
    provider = VsphereProvider(_settings_for(cloud, GOVC_THUMBPRINT=""))

    assert type(_failure(provider, NOWHERE)) is Transient
    assert cloud.asked_of("POST", "/sdk") == 1
    provider.close()


def test_tls_is_unchecked_only_if_that_is_asked_for(cloud: FakeCloud) -> None:
    cloud.answer("POST", "/sdk", Answer(503))
    provider = VsphereProvider(_settings_for(cloud, GOVC_THUMBPRINT="", GOVC_INSECURE="true"))

    assert type(_failure(provider, NOWHERE)) is Transient
    assert cloud.asked_of("POST", "/sdk") == 1
    provider.close()


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer(401), AuthFailed),
        (Answer(403), AuthFailed),
        (Answer(409), Busy),
        (Answer(429), Throttled),
        (Answer(502), Transient),
        (Answer(503), Transient),
        (Answer(200, "<html>maintenance"), Transient),
        (RESET, Transient),
    ],
)
def test_a_refusal_is_of_its_class_and_the_server_is_asked_once(
    cloud: FakeCloud, answer: Answer, expected: type[ProviderError]
) -> None:
    cloud.answer("POST", "/sdk", answer)
    provider = VsphereProvider(_settings_for(cloud))

    assert type(_failure(provider, NOWHERE)) is expected
    assert cloud.asked_of("POST", "/sdk") == 1
    provider.close()


def test_a_server_that_does_not_answer_is_transient(cloud: FakeCloud) -> None:
    cloud.answer("POST", "/sdk", SILENCE)
    provider = VsphereProvider(_settings_for(cloud))

    with pytest.raises(Transient):
        provider.delete(NOWHERE, Hints(), 1.0)


def test_a_server_that_is_not_there_is_transient(cloud: FakeCloud) -> None:
    provider = VsphereProvider(_settings_for(cloud, GOVC_URL="127.0.0.1:1"))

    assert type(_failure(provider, NOWHERE)) is Transient


@pytest.mark.parametrize("key", ["GOVC_URL", "GOVC_USERNAME", "GOVC_PASSWORD"])
def test_settings_that_are_missing_are_listed(cloud: FakeCloud, key: str) -> None:
    with pytest.raises(SettingsMissing) as refused:
        VsphereProvider(_settings_for(cloud, **{key: ""}))

    assert refused.value.keys == (key,)


@pytest.mark.parametrize(
    "changes",
    [{"GOVC_URL": "http://vcenter/sdk"}, {"GOVC_URL": "https://[x"}, {"GOVC_THUMBPRINT": "secret-nonsense"}],
)
def test_settings_that_are_nonsense_are_refused_unquoted(cloud: FakeCloud, changes: dict[str, str]) -> None:
    with pytest.raises(AuthFailed) as refused:
        VsphereProvider(_settings_for(cloud, **changes))

    assert "secret-nonsense" not in str(refused.value)


@pytest.mark.parametrize("instance_id", ["", "vm-42", NOWHERE + "0", "../" + NOWHERE, NOWHERE + "\n"])
def test_what_can_be_no_id_is_refused(cloud: FakeCloud, instance_id: str) -> None:
    with pytest.raises(InvalidInstanceID):
        VsphereProvider(_settings_for(cloud)).validate_instance_id(instance_id)


def _settings_for(cloud: FakeCloud, **changes: str) -> dict[str, str]:
    address = urlsplit(cloud.url)
    settings = {"GOVC_URL": cloud.url, "GOVC_USERNAME": USER, "GOVC_PASSWORD": PASSWORD}
    if "GOVC_THUMBPRINT" not in changes:
        settings["GOVC_THUMBPRINT"] = thumbprint_of(str(address.hostname), address.port or 0)
    return {**settings, **changes}
