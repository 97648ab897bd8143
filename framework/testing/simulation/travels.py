"""Where a process can be led to do again what it did once, though the contrary has been wanted since.

It has seen an event and written something because of it; then the object has changed again. A server that has come no
further than to that first event shows it once more.
"""

from collections.abc import Iterator, Sequence

from framework.testing.simulation.plan import USER, Deed, Fault
from framework.testing.simulation.quiet import counts
from framework.testing.simulation.trace import Step, kind_of


def travels(steps: Sequence[Step], seconds: float) -> Iterator[tuple[Fault, ...]]:
    """For each such event: when the contrary has been heard of, and when all has been done; in one life, and in two."""
    for numbers in _watches(steps):
        last = steps[numbers[-1]]
        for place, number in enumerate(numbers):
            event = steps[number]
            contrary = next((each for each in numbers[place + 1 :] if steps[each].object == event.object), None)
            if contrary is None or not _is_acted_upon(steps[number:contrary], event.process):
                continue
            for at in dict.fromkeys((steps[contrary].event, last.event)):
                travel = _at(event, "travel", at, seconds=seconds, to=event.event)
                yield (travel,)
                yield travel, _at(event, "crash_after", at)


def _watches(steps: Sequence[Step]) -> list[list[int]]:
    """The numbers of the steps that are events, by watch."""
    numbers: dict[tuple[str, str], list[int]] = {}
    for number, step in enumerate(steps):
        if step.event and step.process != USER and counts(step.request):
            numbers.setdefault((step.process, step.request), []).append(number)
    return list(numbers.values())


def _is_acted_upon(steps: Sequence[Step], process: str) -> bool:
    return any(
        step.process == process and step.is_effective and kind_of(step.request) == "write" and counts(step.request)
        for step in steps
    )


def _at(event: Step, do: Deed, number: int, *, seconds: float = 0.0, to: int = 0) -> Fault:
    return Fault(do, event.request, event.process, event=number, seconds=seconds, to=to)
