"""The judgement and the tables of `make bench`; nothing here is timed."""

from pathlib import Path

import pytest

from hack.bench.contestant import Contestant, ContestantError, Figures
from hack.bench.entrants import KOPF, KUBERNETES, WINDLASS
from hack.bench.replay import chunked
from hack.bench.report import tables, verdicts
from hack.bench.results import Ingest, Sync, ingest_between, median_of, sync_between
from hack.bench.targets import Verdict, judge


def test_a_floor_is_met_from_the_limit_on_and_missed_below_it() -> None:
    enough = judge({"saturated": {WINDLASS: an_ingest(per_cpu_second=40_000.0), KOPF: an_ingest()}})
    too_little = judge({"saturated": {WINDLASS: an_ingest(per_cpu_second=39_000.0), KOPF: an_ingest()}})

    assert verdict_on("saturated", enough) == (40.0, True)
    assert verdict_on("saturated", too_little) == (39.0, False)


def test_memory_is_judged_by_the_peer_that_needs_least() -> None:
    found = {WINDLASS: a_sync(kib_per_object=2.0), KUBERNETES: a_sync(kib_per_object=4.0), KOPF: a_sync()}

    assert verdict_on("memory", judge({"sync": found})) == (0.5, False)


def test_a_target_without_its_peer_is_neither_met_nor_missed() -> None:
    judged = judge({"sync": {WINDLASS: a_sync()}})

    assert {(each.ratio, each.is_met) for each in judged} == {(None, None)}
    assert "not measured" in verdicts(judged)


def test_start_up_is_taken_out_of_a_sync() -> None:
    started = Figures("started", cpu_seconds=1.0, wall_seconds=100.0, rss_kib=1000, peak_kib=1000)
    synced = Figures("synced", cpu_seconds=1.5, wall_seconds=102.0, rss_kib=9000, peak_kib=9000)
    settled = Figures("now", cpu_seconds=7.0, wall_seconds=108.0, rss_kib=3000, peak_kib=9000)

    sync = sync_between(started, synced, settled, objects=1000, server_cpu_seconds=0.0)

    assert (sync.cpu_seconds, sync.wall_seconds, sync.kib_per_object) == (0.5, 2.0, 2.0)
    assert sync.startup_cpu_seconds == 1.0


def test_one_disturbed_round_of_three_does_not_count() -> None:
    rounds = [an_ingest(per_cpu_second=value) for value in (10.0, 900.0, 12.0)]

    assert median_of(rounds).events_per_cpu_second == 12.0


def test_a_cell_has_the_figure_and_its_ratio_to_ours() -> None:
    text = tables({"saturated": {WINDLASS: an_ingest(per_cpu_second=40_000.0), KOPF: an_ingest()}})

    assert "| 1,000 (0.025)" in text


def test_every_replayed_event_is_a_chunk_of_its_own() -> None:
    assert chunked(b'{"a":1}\n{"b":22}\n') == b'8\r\n{"a":1}\n\r\n9\r\n{"b":22}\n\r\n'


def test_a_contestant_that_dies_is_named_with_the_end_of_its_log(tmp_path: Path) -> None:
    with (
        pytest.raises(ContestantError, match=r"no_such_contestant ended before .*No module named"),
        Contestant("hack.bench.no_such_contestant", [], folder=tmp_path) as contestant,
    ):
        contestant.wait_for("ready", limit_seconds=60.0)


def verdict_on(word: str, judged: list[Verdict]) -> tuple[float | None, bool | None]:
    return next((each.ratio, each.is_met) for each in judged if each.text.startswith(word))


def an_ingest(per_cpu_second: float = 1000.0) -> Ingest:
    before = Figures("now", cpu_seconds=0.0, wall_seconds=0.0, rss_kib=0, peak_kib=0)
    after = Figures("ingested", cpu_seconds=1000 / per_cpu_second, wall_seconds=1.0, rss_kib=0, peak_kib=0)
    return ingest_between(before, after, 1000)


def a_sync(kib_per_object: float = 8.0) -> Sync:
    return Sync(
        cpu_seconds=1.0,
        wall_seconds=1.0,
        peak_rss_mib=1.0,
        kib_per_object=kib_per_object,
        raw_kib_per_object=0.0,
        server_cpu_seconds=1.0,
        startup_cpu_seconds=1.0,
        startup_rss_mib=1.0,
    )
