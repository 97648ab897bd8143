"""What each fault becomes on the wire of a real process."""

from collections.abc import Callable, Iterator
from typing import cast

import msgspec
import pytest

from apis.meta import Key
from framework.testing.relay import Part, Pause, Respond, SeenRequest, Sever, Severed, Step
from framework.testing.replay.crossing import Crossing, SharedTrace
from framework.testing.replay.fast_time import clock_from_now_on
from framework.testing.simulation import Fault, Plan
from framework.testing.simulation.plan import Deed

SPEED = 10.0
PATH = "/api/v1/configmaps"
CREATE = f"POST {PATH}"
WATCH = f"WATCH {PATH}"


class World:
    """Writes down what it is asked to do."""

    def __init__(self) -> None:
        self.deeds: list[str] = []
        self.foreign: set[str] = set()
        self.overtaken: set[str] = set()

    def crash(self, process: str, seconds: float) -> None:
        self.deeds.append(f"crash {process} {seconds:g}")

    def stand_still(self, process: str, wait: Callable[[], None]) -> None:
        self.deeds.append(f"stop {process}")
        wait()
        self.deeds.append(f"go on {process}")

    def terminate(self, process: str, seconds: float) -> None:
        self.deeds.append(f"terminate {process} {seconds:g}")

    def sever(self, process: str, fault: Fault) -> None:
        self.deeds.append(f"{fault.do} {process}")

    def stir(self, request: str) -> None:
        self.deeds.append(f"stir {request}")

    def act(self, fault: Fault) -> None:
        self.deeds.append(f"{fault.do} {fault.object}")

    def was_there_before(self, _plural: str, key: Key, /) -> bool:
        return key.name in self.foreign

    def is_overtaken(self, _plural: str, key: Key, _version: int, /) -> bool:
        return key.name in self.overtaken


class Wire:
    """The relay's side."""

    def __init__(self, *faults: Fault) -> None:
        self.world = World()
        self.pauses: list[float] = []
        clock = clock_from_now_on(SPEED)
        self.trace = SharedTrace(clock)
        self.crossing = Crossing("controller", Plan(0, faults), world=self.world, trace=self.trace, clock=clock)
        self._number = 0

    def send(self, method: str = "POST", path: str = PATH, status: int = 201) -> Respond | None:
        request = self._request(method, path, {})
        answer = self.crossing.before(request, self.pauses.append)
        if answer is None:
            self.crossing.after(request, status, self.pauses.append)
        return answer

    def watch(self, *names: str) -> Iterator[Step]:
        request = self._request("GET", PATH, {"watch": "true"})
        self.crossing.before(request, self.pauses.append)
        self.crossing.after(request, 200, self.pauses.append)
        edited = self.crossing.edit(request, 200, iter(map(line_of, names)))
        assert edited is not None
        return edited

    def _request(self, method: str, path: str, query: dict[str, str]) -> SeenRequest:
        self._number += 1
        return SeenRequest(number=self._number, method=method, path=path, query=query, headers={}, body=b"", time=0.0)


def line_of(name: str) -> bytes:
    metadata = {"name": name, "namespace": "default", "resourceVersion": "7"}
    return msgspec.json.encode({"type": "ADDED", "object": {"metadata": metadata}}) + b"\n"


def test_a_crash_before_a_request_keeps_it_from_the_server() -> None:
    wire = Wire(Fault("crash_before", CREATE, seconds=5.0))

    with pytest.raises(Severed):
        wire.send()

    assert wire.world.deeds == [f"stir {CREATE}", "crash controller 5"]
    assert wire.trace.trace.steps[0].status == 0


def test_a_crash_after_a_request_comes_when_the_server_has_answered() -> None:
    wire = Wire(Fault("crash_after", CREATE))

    with pytest.raises(Severed):
        wire.send()

    assert wire.trace.trace.steps[0].status == 201


def test_a_fault_waits_for_its_request() -> None:
    wire = Wire(Fault("answer", CREATE, nth=2, code=409))

    answers = [wire.send(), wire.send(path="/api/v1/secrets"), wire.send(), wire.send()]

    assert [answer.status if answer else 0 for answer in answers] == [0, 0, 409, 0]


def test_faults_of_other_processes_do_nothing() -> None:
    assert Wire(Fault("answer", CREATE, process="other", code=409)).send() is None


def test_a_refusal_says_when_to_come_back_in_the_time_of_the_process() -> None:
    answer = Wire(Fault("answer", CREATE, code=429, seconds=3.0)).send()

    assert answer is not None
    assert answer.headers["retry-after"] == "3"
    assert msgspec.json.decode(answer.body or b"")["reason"] == "TooManyRequests"


@pytest.mark.parametrize("deed", ["time_out", "lose_answer"])
def test_who_waits_for_an_answer_gives_up_before_the_connection_breaks(deed: str) -> None:
    wire = Wire(msgspec.convert({"do": deed, "request": CREATE, "seconds": 30.0}, Fault))

    with pytest.raises(Severed):
        wire.send()

    assert wire.pauses == [pytest.approx(3.6)]
    assert wire.trace.trace.steps[0].status == (0 if deed == "time_out" else 201)


# By deed: what becomes of the process.
LASTING = {
    "stand_still": ["stop controller", "go on controller"],
    "terminate": ["terminate controller 20"],
    "delete_lease": ["delete_lease /lease"],
}


@pytest.mark.parametrize("deed", LASTING)
def test_what_happens_to_a_process_does_not_keep_its_request_from_the_server(deed: str) -> None:
    wire = Wire(Fault(cast("Deed", deed), CREATE, seconds=20.0, object="/lease"))

    assert wire.send() is None
    assert wire.world.deeds[1:] == LASTING[deed]


def test_a_refusal_lasts_for_everything_below_its_path() -> None:
    refuse = Fault("refuse", CREATE, code=409, seconds=20.0, object="/apis/leases/one")
    wire = Wire(refuse)

    answers = [wire.send(path="/apis/leases/one"), wire.send(), wire.send(path="/apis/leases/one")]

    assert [answer.status if answer else 0 for answer in answers] == [0, 0, 409]


@pytest.mark.parametrize("deed", ["cut", "partition"])
def test_who_is_cut_off_gets_no_answer_and_is_not_heard(deed: str) -> None:
    wire = Wire(Fault(cast("Deed", deed), CREATE, seconds=20.0))

    with pytest.raises(Severed):
        wire.send()

    assert wire.world.deeds[1:] == [f"{deed} controller"]
    assert wire.trace.trace.steps[0].status == 0


def test_the_user_acts_right_before_a_request() -> None:
    wire = Wire(Fault("recreate", CREATE, object="/api/v1/namespaces/default/configmaps/one"))

    wire.send()

    assert wire.world.deeds[1:] == ["recreate /api/v1/namespaces/default/configmaps/one"]


def test_events_are_counted_over_all_streams_of_a_path() -> None:
    wire = Wire(Fault("duplicate_event", WATCH, event=3))

    assert list(wire.watch("a", "b")) == [line_of("a"), line_of("b")]
    assert list(wire.watch("c", "d")) == [line_of("c"), line_of("c"), line_of("d")]


def test_what_the_server_had_before_the_run_is_not_counted() -> None:
    wire = Wire(Fault("duplicate_event", WATCH, event=1))
    wire.world.foreign = {"kube-root-ca.crt"}

    assert list(wire.watch("kube-root-ca.crt", "a")) == [line_of("kube-root-ca.crt"), line_of("a"), line_of("a")]


def test_a_held_event_holds_those_after_it() -> None:
    wire = Wire(Fault("hold_event", WATCH, event=1, seconds=20.0))

    assert list(wire.watch("a", "b")) == [Pause(2.0), line_of("a"), line_of("b")]


@pytest.mark.parametrize(("overtaken", "delivered"), [("a", ["b"]), ("b", ["a", "b"])])
def test_an_event_is_skipped_only_if_a_later_one_follows(overtaken: str, delivered: list[str]) -> None:
    wire = Wire(Fault("skip_event", WATCH, event=1, seconds=20.0))
    wire.world.overtaken = {overtaken}

    steps = list(wire.watch("a", "b"))

    assert steps == [Pause(2.0), *map(line_of, delivered)]


def test_a_reset_comes_in_place_of_its_event() -> None:
    steps = wire_steps(Fault("reset", WATCH, event=2))

    assert [next(steps), next(steps)] == [line_of("a"), Sever(reset=True)]


def test_a_watch_that_ends_brings_nothing_more() -> None:
    assert list(wire_steps(Fault("end_watch", WATCH, event=2))) == [line_of("a")]


def test_a_watch_whose_version_is_too_old_says_so_and_ends() -> None:
    first, error = wire_steps(Fault("expire_watch", WATCH, event=2))

    assert first == line_of("a")
    assert isinstance(error, bytes)
    assert msgspec.json.decode(error)["object"]["reason"] == "Expired"


def test_half_an_event_comes_before_the_reset() -> None:
    _, half, end = wire_steps(Fault("half_event", WATCH, event=2))

    assert half == Part(line_of("b")[: len(line_of("b")) // 2], len(line_of("b")))
    assert end == Sever(reset=True)


def test_a_frozen_watch_brings_nothing_until_its_time() -> None:
    wire = Wire(Fault("freeze", CREATE, seconds=2.0))
    wire.send()

    first = next(wire.watch("a"))

    assert isinstance(first, Pause)
    assert 0 < first.seconds <= 0.2


def test_a_watch_is_open_until_its_stream_ends() -> None:
    wire = Wire()
    stream = wire.watch("a")

    next(stream)
    assert wire.crossing.open_watches == [WATCH]

    list(stream)
    assert wire.crossing.open_watches == []


def wire_steps(*faults: Fault) -> Iterator[Step]:
    return Wire(*faults).watch("a", "b")
