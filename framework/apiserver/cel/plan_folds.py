"""Compiles the macros that walk a list or a map. Every round costs, so that no expression runs for ever."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from framework.apiserver.cel import syntax
from framework.apiserver.cel.closures import Plans, Run
from framework.apiserver.cel.costs import Frame, charge
from framework.apiserver.cel.errors import CelError, NoSuchOverload
from framework.apiserver.cel.library.lists import sort_by_keys
from framework.apiserver.cel.values import kind_of

# The real server tells the Go type of what it cannot walk.
_GO_TYPES = defaultdict(
    lambda: "*types.Optional",
    {
        "bool": "types.Bool",
        "int": "types.Int",
        "uint": "types.Uint",
        "double": "types.Double",
        "string": "types.String",
        "bytes": "types.Bytes",
        "null_type": "types.Null",
        "timestamp": "types.Timestamp",
        "duration": "types.Duration",
    },
)
# Starts the walk; each step of it has put the next element into the frame.
Rounds = Callable[[Frame], Iterator[None]]


def plan_fold(planner: Plans, node: syntax.Fold) -> Run:
    slots = tuple(planner.new_slot() for _ in node.variables)
    source, variables = _source(planner, node, slots)
    body = planner.plan_with(variables, node.body)
    keep = None if node.keep is None else planner.plan_with(variables, node.keep)
    rounds = _rounds(source, slots, cost=_weight(node.body) + (_weight(node.keep) if node.keep else 0) + 1)
    if keep is not None:
        rounds = _kept(rounds, keep)
    return _FOLDS[node.kind](rounds, body, slots)


def _source(planner: Plans, node: syntax.Fold, slots: tuple[int, ...]) -> tuple[Run, dict[str, tuple[int, bool]]]:
    """What to walk, as JSON if it is JSON; then elements and values stay JSON as well."""
    json, kind = planner.plan_json(node.source), planner.type_of(node.source).kind
    is_json = json is not None and kind in ("list", "map")
    source = json if json is not None and is_json else planner.plan(node.source)
    first_is_json = is_json and kind == "list" and len(slots) == 1
    variables = {node.variables[0]: (slots[0], first_is_json)}
    if len(slots) > 1:
        variables[node.variables[1]] = (slots[1], is_json)
    return source, variables


def _rounds(source: Run, slots: tuple[int, ...], cost: int) -> Rounds:
    first = slots[0]

    def walk(frame: Frame) -> Iterator[None]:
        for item in _walked(source(frame)):
            charge(frame, cost)
            frame[first] = item
            yield

    def walk_pairs(frame: Frame) -> Iterator[None]:
        for key, item in _pairs(source(frame)):
            charge(frame, cost)
            frame[first], frame[slots[1]] = key, item
            yield

    return walk if len(slots) == 1 else walk_pairs


def _walked(value: Any) -> Any:
    if isinstance(value, list | dict):
        return value
    raise CelError(f"got '{_GO_TYPES[kind_of(value)]}', expected iterable type")


def _pairs(value: Any) -> Iterable[tuple[Any, Any]]:
    if isinstance(value, dict):
        return value.items()
    if isinstance(value, list):
        return enumerate(value)
    raise CelError(f"unsupported comprehension range type: {_GO_TYPES[kind_of(value)]}")


def _kept(rounds: Rounds, keep: Run) -> Rounds:
    def walk(frame: Frame) -> Iterator[None]:
        for _ in rounds(frame):
            decision = keep(frame)
            if decision is True:
                yield
            elif decision is not False:
                raise NoSuchOverload

    return walk


def _all(rounds: Rounds, body: Run, _: tuple[int, ...]) -> Run:
    return _until(rounds, body, decisive=False)


def _exists(rounds: Rounds, body: Run, _: tuple[int, ...]) -> Run:
    return _until(rounds, body, decisive=True)


def _until(rounds: Rounds, body: Run, *, decisive: bool) -> Run:
    """The decisive answer ends the walk, and forgives the errors of other elements."""

    def run(frame: Frame) -> Any:
        failure: CelError | None = None
        for _ in rounds(frame):
            try:
                answer = body(frame)
            except CelError as error:
                failure = failure or error
                continue
            if answer is decisive:
                return decisive
            if type(answer) is not bool:
                failure = failure or NoSuchOverload()
        if failure is not None:
            raise failure
        return not decisive

    return run


def _exists_one(rounds: Rounds, body: Run, _: tuple[int, ...]) -> Run:
    kept = _kept(rounds, body)
    return lambda frame: sum(1 for _ in kept(frame)) == 1


def _map(rounds: Rounds, body: Run, _: tuple[int, ...]) -> Run:
    return lambda frame: [body(frame) for _ in rounds(frame)]


def _transform_map(rounds: Rounds, body: Run, slots: tuple[int, ...]) -> Run:
    key = slots[0]

    def run(frame: Frame) -> dict[Any, Any]:
        transformed: dict[Any, Any] = {}
        for _ in rounds(frame):
            transformed[frame[key]] = body(frame)
        return transformed

    return run


def _transform_map_entry(rounds: Rounds, body: Run, _: tuple[int, ...]) -> Run:
    def run(frame: Frame) -> dict[Any, Any]:
        merged: dict[Any, Any] = {}
        for _ in rounds(frame):
            for key, value in body(frame).items():
                if key in merged:
                    raise CelError(f"insert failed: key {key} already exists")
                merged[key] = value
        return merged

    return run


def _sort_by(rounds: Rounds, body: Run, slots: tuple[int, ...]) -> Run:
    def run(frame: Frame) -> list[Any]:
        items: list[Any] = []
        keys: list[Any] = []
        for _ in rounds(frame):
            items.append(frame[slots[0]])
            keys.append(body(frame))
        charge(frame, 2 * len(items) ** 2)
        return sort_by_keys(items, keys)

    return run


_FOLDS: dict[str, Callable[[Rounds, Run, tuple[int, ...]], Run]] = {
    "all": _all,
    "exists": _exists,
    "exists_one": _exists_one,
    "map": _map,
    "transformMap": _transform_map,
    "transformMapEntry": _transform_map_entry,
    "sortBy": _sort_by,
}


def _weight(node: syntax.Node) -> int:  # noqa: PLR0911 - one for each kind of node
    """About what evaluating *node* once costs; folds inside count their own rounds."""
    match node:
        case syntax.Literal():
            return 0
        case syntax.Select():
            return 1 + _weight(node.operand)
        case syntax.Call():
            return 1 + sum(map(_weight, node.arguments)) + (_weight(node.target) if node.target else 0)
        case syntax.ListLiteral():
            return 10 + sum(map(_weight, node.elements))
        case syntax.MapLiteral():
            return 30 + sum(_weight(entry.key) + _weight(entry.value) for entry in node.entries)
        case syntax.Fold():
            return _weight(node.source)
        case syntax.Bind():
            return _weight(node.value) + _weight(node.body)
    return 1
