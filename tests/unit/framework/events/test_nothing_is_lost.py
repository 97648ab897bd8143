"""Whatever fails and whenever: what is not on the server is counted, and nothing is there twice."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from random import Random  # noqa: TID251 - seeds of the test
from typing import Any

import pytest

from apis.core.v1 import Pod
from framework.errors import Conflict, Forbidden, ServerError, Status, TimedOut
from framework.testing.virtual_time import VirtualTime

PASSING = [
    TimedOut("slow"),
    ServerError(Status(500, "InternalError")),
    Conflict(Status(409, "Conflict")),
]
REFUSED = Forbidden(Status(403, "Forbidden", "no rights"))


def seeded(seed: int) -> Random:
    return Random(seed)  # noqa: S311 - a plan that can be repeated


def faults(random: Random, errors: Sequence[Exception], share: float) -> Iterator[Exception | None]:
    while True:
        yield random.choice(errors) if random.random() < share else None


def said_of(server: Any) -> Counter[tuple[str, str]]:
    """How often the server believes that each thing was said."""
    said: Counter[tuple[str, str]] = Counter()
    for event, count in zip(server.events.values(), server.counts, strict=True):
        about = event.get("regarding") or event["involvedObject"]
        said[about["name"], event["reason"]] += count
    return said


def talk(speaker: Any, random: Random, time: VirtualTime, pod: Callable[..., Pod]) -> Counter[tuple[str, str]]:
    said: Counter[tuple[str, str]] = Counter()
    for _ in range(120):
        name, reason = random.choice("abcde"), random.choice(["Started", "Stopped"])
        speaker.say(random.choice(["one", "two", "three"]), about=pod(name), reason=reason)
        said[name, reason] += 1
        time.advance(random.choice([0.0, 0.1, 2.0, 30.0, 400.0]))
    return said


@pytest.mark.parametrize("seed", range(4))
def test_every_occurrence_is_counted_once_although_writes_and_answers_fail(
    time: VirtualTime, server: Any, speaker: Any, pod: Any, seed: int
) -> None:
    random = seeded(seed)
    server.failures = faults(random, PASSING, 0.3)
    server.lost_answers = faults(random, PASSING[:2], 0.2)

    said = talk(speaker, random, time, pod)
    time.advance(3600)

    assert said_of(server) == said
    assert all(speaker.metric("failed", reason) == 0 for reason in ("retry_limit", "rejected", "shutdown"))


@pytest.mark.parametrize("seed", range(4))
def test_each_kind_is_on_the_server_or_counted_as_lost(
    time: VirtualTime, server: Any, new_speaker: Any, pod: Any, seed: int
) -> None:
    random = seeded(seed)
    api_version = "v1" if seed % 2 else "events.k8s.io/v1"
    speaker = new_speaker(api_version=api_version, queue_size=2, max_attempts=2, memory_size=4)
    speaker.recorder.start()
    server.failures = faults(random, [*PASSING, REFUSED], 0.6)

    said = talk(speaker, random, time, pod)
    speaker.recorder.stop()

    missing = said.keys() - said_of(server).keys()
    reasons = ("queue_full", "retry_limit", "rejected", "shutdown")
    assert sum(speaker.metric("lost", reason) for reason in reasons) >= len(missing)


@pytest.mark.parametrize("seed", range(4))
def test_the_server_never_believes_more_than_was_said(
    time: VirtualTime, server: Any, new_speaker: Any, pod: Any, seed: int
) -> None:
    random = seeded(seed)
    speaker = new_speaker(queue_size=2, memory_size=4)
    speaker.recorder.start()
    server.failures = faults(random, PASSING, 0.3)
    server.lost_answers = faults(random, PASSING[:2], 0.3)

    said = talk(speaker, random, time, pod)
    speaker.recorder.stop()

    assert said_of(server) <= said
