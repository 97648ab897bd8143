"""Tables for people."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from hack.bench.entrants import WINDLASS
from hack.bench.targets import Verdict


class Column(msgspec.Struct, frozen=True):
    title: str
    figure: str
    digits: int = 2
    has_ratio: bool = True


TABLES: Mapping[str, tuple[str, tuple[Column, ...]]] = {
    "sync": (
        "Cache sync (start-up taken out)",
        (
            Column("CPU s", "cpu_seconds"),
            Column("wall s", "wall_seconds"),
            Column("peak RSS MiB", "peak_rss_mib", 0),
            Column("KiB per object", "kib_per_object"),
            Column("of it bytes kept", "raw_kib_per_object", has_ratio=False),
            Column("API server CPU s", "server_cpu_seconds", has_ratio=False),
            Column("start-up CPU s", "startup_cpu_seconds", has_ratio=False),
            Column("start-up RSS MiB", "startup_rss_mib", 0, has_ratio=False),
        ),
    ),
    "saturated": (
        "Watch ingest, saturated replay",
        (
            Column("events per CPU s", "events_per_cpu_second", 0),
            Column("CPU µs per event", "cpu_microseconds_per_event", 0),
            Column("wall s", "wall_seconds"),
        ),
    ),
    "live": (
        "Watch ingest, live writer",
        (
            Column("events per CPU s", "events_per_cpu_second", 0),
            Column("CPU µs per event", "cpu_microseconds_per_event", 0),
            Column("wall s", "wall_seconds"),
        ),
    ),
    "reconcile": (
        "Reconciles with one status patch each",
        (
            Column("CPU s per 1,000", "cpu_seconds_per_1000"),
            Column("reconciles a second", "reconciles_per_second", 0),
            Column("API server CPU s", "server_cpu_seconds", has_ratio=False),
            Column("peak RSS MiB", "peak_rss_mib", 0),
            Column("start-up CPU s", "startup_cpu_seconds", has_ratio=False),
        ),
    ),
}


def tables(measures: Mapping[str, Mapping[str, Any]]) -> str:
    return "\n\n".join(_table(name, measures[name]) for name in TABLES if measures.get(name))


def verdicts(judged: Iterable[Verdict]) -> str:
    words = {True: "met", False: "NOT MET", None: "not measured"}
    rows = [(each.text, "" if each.ratio is None else f"{each.ratio:.3g}", words[each.is_met]) for each in judged]
    return "Targets\n\n" + aligned(("target", "reached", ""), rows)


def _table(name: str, found: Mapping[str, Any]) -> str:
    title, columns = TABLES[name]
    rows = [(who, *(_cell(column, each, found.get(WINDLASS)) for column in columns)) for who, each in found.items()]
    return f"{title}; in brackets: times windlass\n\n" + aligned(("who", *(column.title for column in columns)), rows)


def _cell(column: Column, measured: Any, ours: Any) -> str:
    value = getattr(measured, column.figure)
    text = f"{value:,.{column.digits}f}"
    base = getattr(ours, column.figure) if ours is not None else 0
    return f"{text} ({value / base:.3g})" if column.has_ratio and base else text


def aligned(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table in Markdown, so that it can be pasted as it is."""
    widths = [max(len(row[place]) for row in (head, *rows)) for place in range(len(head))]
    lines = [head, ["-" * width for width in widths], *rows]
    return "\n".join("| " + " | ".join(_padded(line, widths)) + " |" for line in lines)


def _padded(line: Sequence[str], widths: Sequence[int]) -> Iterable[str]:
    return (cell.ljust(width) for cell, width in zip(line, widths, strict=True))
