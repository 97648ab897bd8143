from typing import Any

import msgspec

from hack.bench.apiserver.measures import Sizes, Started, Stored, Watched, Writes
from hack.bench.apiserver.objects import a_request, changed, install, name_of
from hack.bench.apiserver.report import CALL, STORED, Found, judge, tables, verdicts
from hack.bench.apiserver.servers import DURABLE, EMBEDDED, REAL

SIZES = Sizes()


def findings(**other: Any) -> Found:
    """With which every target is met."""
    good = Found(
        starts=starts(0.2),
        writes={REAL: Writes(300, 300, 300), EMBEDDED: Writes(900, 800, 900), DURABLE: Writes(500, 500, 500)}
        | {CALL: Writes(2_000, 1_500, 2_000)},
        stored={REAL: Stored(8.0, 0.5, 12.0), EMBEDDED: Stored(2.0, 0.1, 12.0), CALL: Stored(0.0, 0.01, 12.0)},
        watched={name: Watched(SIZES.watchers, 100_000, 1.0, 2.0) for name in (REAL, EMBEDDED)},
    )
    return msgspec.structs.replace(good, **other)


def starts(seconds: float) -> dict[str, Started]:
    return {REAL: Started(4.0, 6.0), EMBEDDED: Started(seconds, 0.2), STORED: Started(0.5, 0.4)}


def missed(found: Found) -> list[str]:
    return [each.text.partition(" ≤")[0].partition(" ≥")[0] for each in judge(found, SIZES) if not each.is_met]


def test_good_findings_meet_every_target() -> None:
    assert missed(findings()) == []


def test_a_start_can_be_too_slow_beside_the_real_one_or_by_the_clock() -> None:
    assert missed(findings(starts=starts(0.35))) == ["start, in seconds"]
    assert missed(findings(starts=starts(0.45))) == ["start, of the real one's time", "start, in seconds"]


def test_one_watcher_that_missed_an_event_is_enough_to_fail() -> None:
    found = findings(watched={EMBEDDED: Watched(SIZES.watchers - 1, 99_999, 1.0, 2.0)})

    assert missed(found) == ["watchers of 100 that got all 1,000 events"]


def test_writes_are_judged_by_a_program_that_does_all_three() -> None:
    writes = Writes(100, 200, 200)

    assert writes.together == 150


def test_the_report_shows_every_server_and_every_target() -> None:
    found = findings()

    shown = tables(found) + verdicts(judge(found, SIZES))

    assert all(name in shown for name in (REAL, EMBEDDED, DURABLE, CALL))
    assert shown.count("met") == len(judge(found, SIZES))


def test_objects_are_of_about_one_kib_and_an_update_changes_them() -> None:
    body = a_request(7)

    assert 600 < len(body) < 1_100
    assert msgspec.json.decode(body)["metadata"]["name"] == name_of(7)
    assert changed(body) != body


def test_the_definition_is_awaited() -> None:
    asked: list[str] = []

    class Slow:
        def send(self, method: str, target: str, body: bytes = b"", content_type: str = "application/json") -> bytes:  # noqa: ARG002 - of the protocol
            asked.append(method)
            status = {"conditions": [{"type": "Established", "status": str(asked.count("GET") > 2)}]}
            return msgspec.json.encode({"status": status})

    install(Slow())

    assert asked.count("GET") == 3
