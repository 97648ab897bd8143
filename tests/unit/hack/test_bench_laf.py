"""The judgement, the tables and the reading of audit logs of `make bench-laf`; nothing here is timed."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from hack.bench.laf.audit import Counts, Record, count, total
from hack.bench.laf.population import key_of
from hack.bench.laf.report import tables
from hack.bench.laf.results import Converged, Found, Paced, Quiet, judge, percentile, pooled
from hack.bench.laf.sizes import QUICK, Sizes
from hack.bench.report import verdicts

SIZES = Sizes(real_clusters=1, embedded_clusters=1, instances=10)


@pytest.mark.parametrize(("percent", "value"), [(50, 50.0), (99, 99.0), (100, 100.0), (0, 1.0)])
def test_a_percentile_is_a_value_that_was_measured(percent: float, value: float) -> None:
    assert percentile([float(number) for number in range(100, 0, -1)], percent) == value


def test_the_99th_percentile_of_few_values_is_the_largest() -> None:
    assert percentile([3.0, 1.0, 2.0], 99) == 3.0


def test_all_targets_are_met_by_a_good_run() -> None:
    assert [each.is_met for each in judge(found(), SIZES)] == [True] * 4


def test_one_deployment_that_is_not_in_its_place_is_too_many() -> None:
    good = found()
    bad = msgspec.structs.replace(good, converged=msgspec.structs.replace(good.converged, deployments=9))

    assert missed(bad) == ["Deployments on their clusters = 10"]


@pytest.mark.parametrize("sort", ["reads", "writes", "events"])
def test_one_request_in_the_quiet_is_too_many(sort: str) -> None:
    assert missed(found(quiet={"hub": Counts(**{sort: 1})})) == ["quiet: writes, and reads that are no probes ≤ 0"]


def test_probes_leases_and_watches_do_not_disturb_the_quiet() -> None:
    assert missed(found(quiet={"hub": Counts(probes=5, leases=3, watches=1)})) == []


def test_quiet_does_not_count_where_a_cluster_was_not_probed() -> None:
    assert missed(found(probed=1)) == ["quiet: clusters that were probed = 2"]


def test_the_others_may_take_a_fifth_longer_and_no_more() -> None:
    assert missed(found(hanging=1.2)) == []
    assert missed(found(hanging=1.21)) == ["p99 of the others while one cluster hangs, of the undisturbed ≤ 1.2"]


def test_rounds_are_judged_by_all_their_times_together() -> None:
    both = pooled([paced(1.0), msgspec.structs.replace(paced(2.0), return_seconds=4.0)])

    assert (both.changes, both.seconds, both.return_seconds) == (4, [1.0, 1.0, 2.0, 2.0], 4.0)


def test_requests_are_sorted_by_what_they_are_for(tmp_path: Path) -> None:
    log = write_log(
        tmp_path,
        line("get", "/version"),
        line("create", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews"),
        line("get", "/api/v1/namespaces/kube-system"),
        line("get", "/api/v1/namespaces/tenant-00"),
        line("list", "/apis/apps/v1/deployments?limit=500"),
        line("patch", "/apis/instance.laf.dev/v1/namespaces/t/instances/a/status"),
        line("create", "/apis/events.k8s.io/v1/namespaces/t/events"),
        line("patch", "/apis/coordination.k8s.io/v1/namespaces/laf-system/leases/windlass-manager"),
        line("watch", "/api/v1/secrets?watch=true", stage="ResponseStarted"),
        line("watch", "/api/v1/secrets?watch=true"),
    )

    counts = count(Record(log).since(0))

    assert counts == Counts(reads=2, writes=1, events=1, watches=1, probes=3, leases=1)
    assert total([counts, counts]).probes == 6


def test_what_the_bench_itself_asks_of_the_hub_is_left_out(tmp_path: Path) -> None:
    log = write_log(tmp_path, line("create", "/x", impersonatedUser={"username": "bench"}), line("create", "/y"))

    assert [each.path for each in Record(log).since(0)] == ["/y"]


def test_a_record_is_read_from_a_mark_on_and_without_a_line_that_is_being_written(tmp_path: Path) -> None:
    log = write_log(tmp_path, line("get", "/before"))
    record = Record(log)
    mark = record.mark()
    with log.open("a") as file:
        file.write(line("get", "/after") + "\n" + line("get", "/half")[:20])

    assert [each.path for each in record.since(mark)] == ["/after"]


def test_a_server_that_was_never_asked_has_an_empty_record(tmp_path: Path) -> None:
    assert Record(tmp_path / "none").since(0) == []


def test_the_tables_tell_what_an_instance_costs() -> None:
    text = tables(found(), SIZES)

    assert "| 10        | 2 (1 real) | 4.0    | 0.5   | 50.0 " in text
    assert "| hub      | 1.00  | 6.00   | 0.00   |" in text
    assert "| one hangs  | 2       | 5.0      | 2             | 1000   | 1000   | 1000   | 1000 " in text
    assert "met" in verdicts(judge(found(), SIZES))


def test_instances_have_names_of_their_own_and_are_spread_over_the_tenants() -> None:
    keys = [key_of(number, QUICK.tenants) for number in range(QUICK.instances)]

    assert len(set(keys)) == QUICK.instances
    assert len({key.namespace for key in keys}) == QUICK.tenants


def found(
    *, quiet: dict[str, Counts] | None = None, probed: int = 2, undisturbed: float = 1.0, hanging: float = 1.0
) -> Found:
    return Found(
        converged=Converged(
            wall_seconds=4.0,
            cpu_seconds=0.5,
            rss_mib=90.0,
            peak_rss_mib=91.0,
            deployments=10,
            server_cpu_seconds={"hub": 1.0},
            requests={"hub": Counts(reads=10, writes=60)},
        ),
        quiet=Quiet(
            settle_seconds=10.0,
            wall_seconds=90.0,
            cpu_seconds=0.9,
            rss_mib=90.0,
            probed=probed,
            requests=quiet or {"hub": Counts()},
        ),
        undisturbed=paced(undisturbed),
        hanging=paced(hanging),
    )


def paced(seconds: float) -> Paced:
    return Paced(changes=2, changes_a_second=5.0, seconds=[seconds, seconds], cpu_seconds=1.0, rss_mib=90.0)


def missed(of: Found) -> list[str]:
    return [each.text for each in judge(of, SIZES) if not each.is_met]


def line(verb: str, target: str, **fields: Any) -> str:
    event = {
        "stage": "ResponseComplete",
        "verb": verb,
        "requestURI": target,
        "responseStatus": {"code": 200},
        "stageTimestamp": "2026-11-17T10:00:00.000001Z",
    }
    return json.dumps({**event, **fields})


def write_log(folder: Path, *lines: str) -> Path:
    log = folder / "audit.log"
    log.write_text("".join(f"{each}\n" for each in lines))
    return log
