"""Some plans of every sort."""

from collections.abc import Iterable, Sequence

from framework.testing.replay import class_of, obstacle_to
from framework.testing.simulation import Plan


def sort_of(plan: Plan) -> str:
    """What goes wrong, apart from where."""
    return " + ".join(f"{fault.do} {fault.code}" if fault.code else fault.do for fault in plan.faults)


def classes_of(plan: Plan) -> str:
    return " ".join(dict.fromkeys(word for fault in plan.faults for word in class_of(fault).split()))


def is_replayable(plan: Plan) -> bool:
    return not any(map(obstacle_to, plan.faults))


def some_of_every_sort(plans: Iterable[Plan], count: int) -> list[Plan]:
    """Up to *count* of each, spread over the run."""
    by_sort: dict[str, list[Plan]] = {}
    for plan in filter(is_replayable, plans):
        by_sort.setdefault(sort_of(plan), []).append(plan)
    return [plan for of_a_sort in by_sort.values() for plan in _spread(of_a_sort, count)]


def _spread(plans: Sequence[Plan], count: int) -> list[Plan]:
    step = len(plans) / count
    return [plans[int((number + 0.5) * step)] for number in range(count)] if step > 1 else list(plans)
