"""Fault plans as data: what goes wrong, and where. One line of JSON says all of a run."""

from typing import Literal

import msgspec

from framework.errors import ConfigurationError
from framework.testing.simulation.acts import Act

Deed = Literal[
    "crash_before",
    "crash_after",
    "lose_answer",
    "answer",
    "time_out",
    "delay",
    "freeze",
    "lag",
    "travel",
    "jump",
    "refuse",
    "partition",
    "cut",
    "delete_lease",
    "take_lease",
    "webhook_refuses",
    "webhook_hangs",
    "webhook_babbles",
    "stand_still",
    "terminate",
    "reset",
    "end_watch",
    "half_event",
    "expire_watch",
    "cut_off",
    "hold_event",
    "skip_event",
    "duplicate_event",
    "delete",
    "recreate",
]
# They change what the end must be.
ACTS_OF_THE_USER = frozenset({"delete", "recreate"})
USER = "user"
# The cluster of a process itself.
HOME = ""
# At the end of a run that has become quiet, instead of at a request.
QUIET = "quiet"


class Fault(msgspec.Struct, frozen=True, omit_defaults=True):
    """At the *nth* time that *process* makes *request*, such as `PATCH /api/v1/…`, or gets its *event*: *do* that.

    - `crash_before`, `crash_after`: the process ends around the request, or after the event, without any cleanup, and
      starts again with an empty memory after *seconds*
    - `lose_answer`: the server does it, the client hears nothing for *seconds*
    - `answer`: the server does nothing, and answers *code*
    - `time_out`: the server does nothing, and says so to nobody
    - `delay`: the request is on its way for *seconds*
    - `freeze`: all watches of the process bring nothing for *seconds*
    - `lag`: the watch cache of the server that the process talks to stops for *seconds*; the store goes on
    - `travel`: the process is connected to another server, whose watch cache has come no further than to the event
      number *to* of the same watch, and stays there for *seconds*
    - `jump`: the wall clock of the process jumps by *seconds*, which may be negative; time itself goes on as before
    - `refuse`: for *seconds*, whatever the process asks of *object*, which is a path, is answered by *code*, or not at
      all if there is none
    - `partition`, `cut`: for *seconds*, what the process sends to the cluster *object* gets nowhere, and nobody is
      told; or the connection is refused. The name of its own cluster is empty
    - `delete_lease`, `take_lease`: *object* is the path of a Lease; somebody deletes it, or writes another holder in
    - `webhook_refuses`, `webhook_hangs`, `webhook_babbles`: for *seconds* no webhook can be reached, or none answers,
      or what they answer is no review
    - `stand_still`: nothing of the process runs for *seconds*, as after SIGSTOP; then it sends what it meant to send
    - `terminate`: the process is asked to end, as by SIGTERM, and starts again *seconds* after it has
    - `reset`: the watch breaks at this event
    - `end_watch`, `half_event`, `expire_watch`: instead of this event the watch ends, as if its time were over; brings
      half of it, and breaks; says that the version is too old, and ends
    - `cut_off`: the watch breaks at this event, nothing gets through for *seconds*, and then the server has forgotten
      what happened meanwhile, so that no watch can be resumed
    - `hold_event`: this event, and all after it, come *seconds* late
    - `skip_event`: it comes *seconds* late, and not at all if its object has changed again by then
    - `duplicate_event`: it comes twice
    - `delete`, `recreate`: the user does so to *object*, which is a path, right before the request
    """

    do: Deed
    request: str
    process: str = "controller"
    nth: int = 1
    # The nth event of the watch, counted over all streams of that path; 0: the fault is about the request.
    event: int = 0
    code: int = 0
    seconds: float = 0.0
    object: str = ""
    # Of `travel`: the number of an earlier event.
    to: int = 0


class Plan(msgspec.Struct, frozen=True, omit_defaults=True):
    """A run, exactly: the seed of every choice, what goes wrong, and what the user does if it was drawn."""

    seed: int = 0
    faults: tuple[Fault, ...] = ()
    # Instead of the workload of the scenario.
    acts: tuple[Act, ...] = ()

    def __str__(self) -> str:
        return msgspec.json.encode(self).decode()


def plan_from(text: str) -> Plan:
    try:
        return msgspec.json.decode(text, type=Plan)
    except msgspec.MsgspecError as error:
        raise ConfigurationError(f"this is no fault plan: {error}") from error
