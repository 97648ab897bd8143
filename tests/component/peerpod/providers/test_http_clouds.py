"""Azure, Google's and IBM's clouds: the real SDKs, and every class of error, against a server of the test."""

import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from controllers.peerpod.provider import (
    AuthFailed,
    Busy,
    CloudProvider,
    Gone,
    Hints,
    InProgress,
    InvalidInstanceID,
    Permanent,
    ProviderError,
    SettingsMissing,
    Throttled,
    Transient,
)
from tests.component.peerpod.providers.fake_cloud import RESET, SILENCE, Answer, FakeCloud
from tests.component.peerpod.providers.stages import FOREIGN_VM, STAGES, Stage

LIMIT_SECONDS = 60.0


@pytest.fixture(params=sorted(STAGES))
def stage(request: pytest.FixtureRequest, cloud: FakeCloud) -> Stage:
    made: Stage = STAGES[request.param](cloud)
    return made


@pytest.fixture
def provider(stage: Stage) -> Iterator[CloudProvider]:
    made = stage.provider()
    yield made
    made.close()


def _delete(provider: CloudProvider, stage: Stage, **hints: Any) -> Any:
    return provider.delete(stage.instance_id, Hints(**hints), LIMIT_SECONDS)


def test_a_provider_is_what_the_contract_asks_for(provider: CloudProvider) -> None:
    assert isinstance(provider, CloudProvider)
    assert set(provider.secret_keys) | set(provider.location_keys) <= set(provider.settings_keys)
    assert not set(provider.secret_keys) & set(provider.location_keys)


def test_a_client_that_was_not_used_has_asked_for_nothing(provider: CloudProvider, stage: Stage) -> None:
    assert stage.cloud.asked == []


def test_a_vm_is_deleted_and_looked_at_until_it_is_gone(provider: CloudProvider, stage: Stage) -> None:
    stage.cloud.answer("GET", stage.path, stage.vm(), stage.vm(state=stage.deleting), stage.error(404))
    stage.cloud.answer("DELETE", stage.path, stage.accepted)

    outcomes = [_delete(provider, stage) for _ in range(3)]

    assert outcomes == [InProgress(15.0), InProgress(15.0), Gone()]
    assert stage.cloud.asked_of("DELETE", stage.path) == 1


def test_a_vm_that_is_unknown_is_gone(provider: CloudProvider, stage: Stage) -> None:
    stage.cloud.answer("GET", stage.path, stage.error(404))

    assert _delete(provider, stage) == Gone()
    assert stage.cloud.asked_of("DELETE", stage.path) == 0


def test_a_vm_that_goes_between_look_and_deletion_is_gone(provider: CloudProvider, stage: Stage) -> None:
    stage.cloud.answer("GET", stage.path, stage.vm())
    stage.cloud.answer("DELETE", stage.path, stage.error(404))

    assert _delete(provider, stage) == Gone()


def test_a_vm_of_another_name_is_left_alone(provider: CloudProvider, stage: Stage) -> None:
    stage.cloud.answer("GET", stage.foreign_path, stage.vm(FOREIGN_VM))

    with pytest.raises(Permanent) as refused:
        provider.delete(stage.foreign_id, Hints(), LIMIT_SECONDS)

    assert refused.value.reason == "NotAPodVM"
    assert stage.cloud.asked_of("DELETE", stage.foreign_path) == 0


@pytest.mark.parametrize(("guard", "notes"), [("warn", ["NotAPodVM"]), ("off", [])])
def test_without_the_guard_it_is_deleted(provider: CloudProvider, stage: Stage, guard: Any, notes: list[str]) -> None:
    stage.cloud.answer("GET", stage.foreign_path, stage.vm(FOREIGN_VM))
    stage.cloud.answer("DELETE", stage.foreign_path, stage.accepted)

    outcome = provider.delete(stage.foreign_id, Hints(name_guard=guard), LIMIT_SECONDS)

    assert [note.reason for note in outcome.notes] == notes
    assert stage.cloud.asked_of("DELETE", stage.foreign_path) == 1


@pytest.mark.parametrize("method", ["GET", "DELETE"])
@pytest.mark.parametrize(
    ("status", "expected"),
    [
        (401, AuthFailed),
        (403, AuthFailed),
        (409, Busy),
        (429, Throttled),
        (500, Transient),
        (503, Transient),
    ],
)
def test_a_refusal_is_of_its_class_tells_no_secret_and_is_not_repeated(
    provider: CloudProvider, stage: Stage, method: str, status: int, expected: type[ProviderError]
) -> None:
    stage.cloud.answer("GET", stage.path, stage.vm())
    stage.cloud.answer("DELETE", stage.path, stage.accepted)
    stage.cloud.answer(method, stage.path, stage.error(status))

    failed = _failure(provider, stage)

    assert type(failed) is expected
    assert "refused for" in str(failed)
    _assert_no_secret(failed, stage)
    # But for 401, after which Google's asks for a new token.
    assert status == 401 or stage.cloud.asked_of(method, stage.path) == 1


def test_a_refusal_of_another_kind_is_permanent(provider: CloudProvider, stage: Stage) -> None:
    stage.cloud.answer("GET", stage.path, stage.vm())
    stage.cloud.answer("DELETE", stage.path, stage.error(400, "invalid"))

    failed = _failure(provider, stage)

    assert isinstance(failed, Permanent)
    assert failed.reason == "DeletionRefused"


def test_a_throttled_request_is_not_repeated_and_says_when_to_come_back(provider: CloudProvider, stage: Stage) -> None:
    stage.cloud.answer("GET", stage.path, stage.error(429, **{"Retry-After": "17"}))

    failed = _failure(provider, stage)

    assert isinstance(failed, Throttled)
    assert failed.after_seconds == 17.0
    assert stage.cloud.asked_of("GET", stage.path) == 1


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_connection_that_is_reset_is_transient(provider: CloudProvider, stage: Stage, method: str) -> None:
    stage.cloud.answer("GET", stage.path, stage.vm())
    stage.cloud.answer(method, stage.path, RESET)

    failed = _failure(provider, stage)

    assert type(failed) is Transient
    assert stage.cloud.asked_of(method, stage.path) == 1
    _assert_no_secret(failed, stage)


@pytest.mark.parametrize("method", ["GET", "DELETE"])
def test_a_server_that_does_not_answer_is_transient(provider: CloudProvider, stage: Stage, method: str) -> None:
    stage.cloud.answer("GET", stage.path, stage.vm())
    stage.cloud.answer(method, stage.path, SILENCE)

    with pytest.raises(Transient):
        provider.delete(stage.instance_id, Hints(), 2.0)


def test_an_answer_that_nobody_understands_is_transient(provider: CloudProvider, stage: Stage) -> None:
    stage.cloud.answer("GET", stage.path, Answer(200, "<html>maintenance</html>"))

    assert type(_failure(provider, stage)) is Transient


def test_a_server_that_is_not_there_is_transient(stage: Stage) -> None:
    changes = {key: "https://127.0.0.1:1" for key in stage.settings if key.endswith("_ENDPOINT")}
    provider = stage.provider(**changes)

    failed = _failure(provider, stage)

    assert type(failed) is Transient
    _assert_no_secret(failed, stage)
    provider.close()


def test_an_id_that_can_be_none_is_refused_unasked(provider: CloudProvider, stage: Stage) -> None:
    for bad in stage.bad_ids:
        with pytest.raises(InvalidInstanceID):
            provider.validate_instance_id(bad)
        with pytest.raises(InvalidInstanceID):
            provider.delete(bad, Hints(), LIMIT_SECONDS)

    assert stage.cloud.asked == []


def test_settings_that_are_missing_are_listed(stage: Stage) -> None:
    for key in stage.needed:
        with pytest.raises(SettingsMissing) as refused:
            stage.provider(**{key: ""})

        assert key in refused.value.keys
        _assert_no_secret(refused.value, stage)


def test_deletion_needs_no_setting_of_creation(stage: Stage) -> None:
    stage.cloud.answer("GET", stage.path, stage.vm())
    stage.cloud.answer("DELETE", stage.path, stage.accepted)
    provider = stage.provider()

    _delete(provider, stage)

    paths = {asked.path for asked in stage.cloud.asked if asked.path.startswith(("/subscriptions", "/compute", "/v1"))}
    assert all(path == stage.path or "/operations/" in path for path in paths)
    provider.close()


def test_one_provider_serves_many_threads(provider: CloudProvider, stage: Stage) -> None:
    stage.cloud.answer("GET", stage.path, stage.vm())
    stage.cloud.answer("DELETE", stage.path, stage.accepted)

    with ThreadPoolExecutor(8) as pool:
        outcomes = list(pool.map(lambda _: _delete(provider, stage), range(24)))

    assert outcomes == [InProgress(15.0)] * 24


def _failure(provider: CloudProvider, stage: Stage) -> ProviderError:
    with pytest.raises(ProviderError) as failed:
        _delete(provider, stage)
    return failed.value


def _assert_no_secret(error: BaseException, stage: Stage) -> None:
    told = "".join(traceback.format_exception(error)) + str(error) + repr(error)
    for secret in stage.all_secrets():
        assert secret not in told
