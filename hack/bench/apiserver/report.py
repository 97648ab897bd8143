"""What was found, what must be reached, and both as tables for people."""

from collections.abc import Sequence

import msgspec

from hack.bench.apiserver.measures import Sizes, Started, Stored, Watched, Writes
from hack.bench.apiserver.servers import DURABLE, EMBEDDED, REAL
from hack.bench.report import aligned

CALL = "embedded, called as a function"
STORED = "embedded, with all objects in SQLite"
_START_LIMIT_SECONDS, _STORED_START_LIMIT_SECONDS = 0.3, 1.0


class Found(msgspec.Struct):
    """By the name of the server."""

    starts: dict[str, Started] = {}
    writes: dict[str, Writes] = {}
    stored: dict[str, Stored] = {}
    watched: dict[str, Watched] = {}


class Verdict(msgspec.Struct, frozen=True):
    text: str
    reached: float
    is_met: bool


def judge(found: Found, sizes: Sizes) -> Sequence[Verdict]:
    writes, stored = found.writes, found.stored
    real_start, start = (found.starts[name].wall_seconds for name in (REAL, EMBEDDED))
    return [
        _at_most("start, of the real one's time", start / real_start, 0.1),
        _at_most("start, in seconds", start, _START_LIMIT_SECONDS),
        _at_least("writes over HTTP per CPU s, times the real one's", _ratio(writes, EMBEDDED), 1.0),
        _at_least("the same with SQLite", _ratio(writes, DURABLE), 1.0),
        _at_least("writes by a call per CPU s, times the real one's", _ratio(writes, CALL), 3.0),
        _at_most(
            f"list of {sizes.objects:,} by a call, of the real one's time",
            stored[CALL].list_seconds / stored[REAL].list_seconds,
            0.1,
        ),
        _at_least(
            f"watchers of {sizes.watchers} that got all {sizes.events:,} events",
            found.watched[EMBEDDED].complete_watchers,
            sizes.watchers,
        ),
        _at_most(
            "memory per object, of the real one's", stored[EMBEDDED].kib_per_object / stored[REAL].kib_per_object, 1 / 3
        ),
        _at_most(
            f"start with {sizes.stored_objects:,} objects in SQLite, in seconds",
            found.starts[STORED].wall_seconds,
            _STORED_START_LIMIT_SECONDS,
        ),
    ]


def tables(found: Found) -> str:
    return "\n\n".join(
        (
            _titled("Start", ("server", "wall s", "CPU s"), _start_rows(found.starts)),
            _titled("Writes of 1 KiB per CPU second of the server", _WRITES, _write_rows(found.writes)),
            _titled("Stored objects of 1 KiB", ("server", "KiB per object", "list s", "list MiB"), _stored_rows(found)),
            _titled("Watchers", ("server", "complete", "events told", "server CPU s", "wall s"), _watch_rows(found)),
        )
    )


def verdicts(judged: Sequence[Verdict]) -> str:
    rows = [(each.text, f"{each.reached:.3g}", "met" if each.is_met else "NOT MET") for each in judged]
    return _titled("Targets", ("target", "reached", ""), rows)


_WRITES = ("server", "create", "update", "status patch", "all three")


def _write_rows(found: dict[str, Writes]) -> list[tuple[str, ...]]:
    return [
        (name, *(f"{figure:,.0f}" for figure in (each.create, each.update, each.status_patch, each.together)))
        for name, each in found.items()
    ]


def _stored_rows(found: Found) -> list[tuple[str, ...]]:
    return [
        (
            name,
            _or_nothing(each.kib_per_object),
            f"{each.list_seconds:.4f}",
            f"{each.list_mib:.1f}",
        )
        for name, each in found.stored.items()
    ]


def _watch_rows(found: Found) -> list[tuple[str, ...]]:
    return [
        (
            name,
            str(each.complete_watchers),
            f"{each.events_told:,}",
            f"{each.server_cpu_seconds:.2f}",
            f"{each.wall_seconds:.2f}",
        )
        for name, each in found.watched.items()
    ]


def _start_rows(found: dict[str, Started]) -> list[tuple[str, ...]]:
    return [(name, f"{each.wall_seconds:.3f}", f"{each.cpu_seconds:.2f}") for name, each in found.items()]


def _or_nothing(figure: float) -> str:
    return f"{figure:.2f}" if figure else ""


def _titled(title: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    return f"{title}\n\n{aligned(head, rows)}"


def _ratio(found: dict[str, Writes], name: str) -> float:
    return found[name].together / found[REAL].together


def _at_most(text: str, reached: float, limit: float) -> Verdict:
    return Verdict(f"{text} ≤ {limit:.3g}", reached, reached <= limit)


def _at_least(text: str, reached: float, limit: float) -> Verdict:
    return Verdict(f"{text} ≥ {limit:g}", reached, reached >= limit)
