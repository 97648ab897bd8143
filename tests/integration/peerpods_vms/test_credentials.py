"""Credentials that are missing, wrong, replaced; and a cloud that wants to hear less."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import structlog
from structlog.typing import EventDict

from tests.integration.peerpods_vms.ec2 import Asked, Ec2, Refusal
from tests.integration.peerpods_vms.world import KEY_ID, SECRET_KEY, World

REPLACED = "AKIDOFTHENEXTONE6789"


@pytest.fixture
def log() -> Iterator[list[str]]:
    """Everything that is logged, before anything is blotted out."""
    lines: list[str] = []
    before = structlog.get_config()["processors"]

    def keep(_logger: object, _method: str, event: EventDict) -> EventDict:
        lines.append(repr(event))
        return event

    structlog.configure(processors=[keep, *before])
    yield lines
    structlog.configure(processors=before)


def assert_no_secret(world: World, lines: list[str], *names: str) -> None:
    told = [*lines, *world.all_events(), *(repr(world.find(name)) for name in names)]
    assert told
    for secret in (KEY_ID, SECRET_KEY, REPLACED):
        assert not [text for text in told if secret in text]


def test_credentials_that_are_missing_are_told(world: World, ec2: Ec2) -> None:
    instance = ec2.run_instance()
    world.add_peer_pod("one", instance)
    world.delete("one")

    world.start_manager()
    world.expect_reason("one", "SettingsMissing")
    world.add_settings()

    world.expect_gone("one")
    assert ec2.state_of(instance) == "terminated"


def test_credentials_that_are_replaced_are_used_at_once_and_the_old_ones_never_again(
    world: World, ec2: Ec2, log: list[str]
) -> None:
    world.add_settings()
    instance = ec2.run_instance()
    world.add_peer_pod("one", instance)
    world.delete("one")

    def refuse_old(asked: Asked) -> Refusal | None:
        # As some servers do, it repeats what it was sent.
        why = f"the key {asked.key_id} with {SECRET_KEY} is not valid"
        return Refusal("AuthFailure", 401, why) if asked.key_id == KEY_ID else None

    ec2.answer_by(refuse_old)
    world.start_manager()
    world.expect_reason("one", "CredentialsInvalid")
    world.expect_event("one", "VMDeletionFailed")
    assert_no_secret(world, log, "one")
    old = len([each for each in ec2.asked() if each.key_id == KEY_ID])

    world.replace_key_id(REPLACED)

    world.expect_gone("one")
    assert ec2.state_of(instance) == "terminated"
    assert len([each for each in ec2.asked() if each.key_id == KEY_ID]) == old
    assert_no_secret(world, log)


def test_a_cloud_that_is_throttling_gets_all_deletions_in_the_end_and_never_too_fast(
    world: World, ec2: Ec2, log: list[str]
) -> None:
    world.add_settings()
    names = [f"peer-{number:02}" for number in range(30)]
    instances = [ec2.run_instance() for _ in names]
    for name, instance in zip(names, instances, strict=True):
        world.add_peer_pod(name, instance)
        world.delete(name)
    left = [20]

    def throttle(asked: Asked) -> Refusal | None:
        if asked.action != "DescribeInstances" or not left[0]:
            return None
        left[0] -= 1
        return Refusal("RequestLimitExceeded", 503)

    ec2.answer_by(throttle)
    world.start_manager()

    world.expect_gone(*names)
    assert {ec2.state_of(instance) for instance in instances} == {"terminated"}
    assert left == [0]
    starts = sorted(each.at for each in ec2.asked("DescribeInstances"))
    # Ten at once, and five more in each second after that; four that are under way may be held up by a busy machine.
    for begin in starts:
        seconds = 2.0
        among = [each for each in starts if begin <= each < begin + timedelta(seconds=seconds)]
        assert len(among) <= 10 + 5 * seconds + 4
    assert_no_secret(world, log)
