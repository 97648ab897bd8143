"""Random histories of one server, a cache that follows it late, and own writes whose answers come when they like.

The model knows the whole history, so what a reader must see is a look-up: the
state of the key at the version that the cache has come to, or at the newest
own write that was answered, whichever is later.
"""

from typing import Any

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from apis.meta import Key
from framework.client import Access
from framework.own_writes.truth import Truth
from framework.store import EventType, decode_envelope
from tests.unit.framework.own_writes.bench import Bench, content, key_of, status_of

# Mostly one, so that more happens to it.
NAMES = st.sampled_from(["a", "a", "a", "b"])
LABEL = st.sampled_from(["web", "db"])
BEGIN = 5


class State(msgspec.Struct, frozen=True):
    """One object in one version."""

    name: str
    version: int
    uid: str
    label: str
    has_finalizer: bool = False
    is_deleting: bool = False

    @property
    def raw(self) -> bytes:
        metadata: dict[str, Any] = {"labels": {"app": self.label}}
        if self.has_finalizer:
            metadata["finalizers"] = ["x/y"]
        if self.is_deleting:
            metadata |= {"deletionTimestamp": "2026-01-01T00:00:00Z", "deletionGracePeriodSeconds": 0}
        return content(self.name, self.version, self.uid, **metadata)


class Step(msgspec.Struct, frozen=True):
    """At *version* the object of *name* became *state*, or went away."""

    version: int
    name: str
    before: State | None
    state: State | None


class Call(msgspec.Struct):
    """An own write that the server has made; its answer may be on its way."""

    access: Access
    step: Step
    answer: bytes
    known: tuple[str, ...]


class OwnWritesMachine(RuleBasedStateMachine):
    selector = ""

    def __init__(self) -> None:
        super().__init__()
        self.bench = Bench(labels=self.selector)
        self.history: list[Step] = []
        self.now: dict[str, State] = {}
        self.version = BEGIN
        self.uids = 0
        # How many steps of the history the cache has seen.
        self.position = 0
        self.unanswered: list[Call] = []
        self.answered: dict[str, Call] = {}
        self.told_of_nothing: dict[str, int] = {}
        self.bench.relist(BEGIN)

    # The server.

    def commit(self, name: str, state: State | None) -> Step:
        before = self.now.get(name)
        self.version += 1
        if state is None:
            del self.now[name]
        else:
            state = msgspec.structs.replace(state, version=self.version)
            self.now[name] = state
        step = Step(self.version, name, before, state)
        self.history.append(step)
        return step

    def new(self, name: str, label: str, *, has_finalizer: bool) -> State:
        self.uids += 1
        return State(name, 0, f"uid-{self.uids}", label, has_finalizer)

    def next_state(self, name: str, label: str, *, deletes: bool, has_finalizer: bool) -> tuple[str, State | None]:
        """What a client does to what is there: create, change, delete, or finish a deletion."""
        before = self.now.get(name)
        if before is None:
            return "create", self.new(name, label, has_finalizer=has_finalizer)
        if before.is_deleting:
            return "patch", None
        if not deletes:
            return "patch", msgspec.structs.replace(before, label=label)
        return "delete", msgspec.structs.replace(before, is_deleting=True) if before.has_finalizer else None

    @rule(name=NAMES, label=LABEL, deletes=st.booleans(), has_finalizer=st.booleans())
    def somebody_else_writes(self, name: str, label: str, deletes: bool, has_finalizer: bool) -> None:  # noqa: FBT001
        _, state = self.next_state(name, label, deletes=deletes, has_finalizer=has_finalizer)
        self.commit(name, state)

    @rule(name=NAMES, label=LABEL, deletes=st.booleans(), has_finalizer=st.booleans())
    def we_write(self, name: str, label: str, deletes: bool, has_finalizer: bool) -> None:  # noqa: FBT001
        verb, state = self.next_state(name, label, deletes=deletes, has_finalizer=has_finalizer)
        others = [call for call in self.unanswered if call.step.name == name]
        # The end of an object has no version in its answer, so its order among writes under way is not known.
        if others and (state is None or any(call.step.state is None for call in others)):
            return
        known = self.bench.overlay.known_uids(key_of(name))
        access = self.bench.sending(verb, "" if verb == "create" else name)
        step = self.commit(name, state)
        self.unanswered.append(Call(access, step, self.answer_to(verb, step), known))

    @rule(name=NAMES)
    def we_delete_what_somebody_took_out_of_the_selection_and_back(self, name: str) -> None:
        before = self.now.get(name)
        if before is not None and not before.is_deleting:
            for label in ("db", "web"):
                self.commit(name, msgspec.structs.replace(before, label=label))
            self.we_write_and_hear_of_it(name, deletes=True)

    @rule(name=NAMES, deletes=st.booleans())
    def we_write_and_hear_of_it(self, name: str, deletes: bool) -> None:  # noqa: FBT001
        waiting = len(self.unanswered)
        self.we_write(name, "web", deletes, has_finalizer=False)
        if len(self.unanswered) > waiting:
            self.hear(self.unanswered.pop())

    @rule(name=NAMES)
    def we_write_what_is_there_already(self, name: str) -> None:
        """The server makes no version of it, and answers with that of whoever wrote last."""
        state = self.now.get(name)
        if state is not None and not state.is_deleting:
            step = next(each for each in reversed(self.history) if each.name == name)
            access = self.bench.sending("patch", name)
            self.unanswered.append(Call(access, step, state.raw, ()))

    @staticmethod
    def answer_to(verb: str, step: Step) -> bytes:
        if step.state is not None:
            return step.state.raw
        assert step.before is not None
        if verb == "delete":
            return status_of(step.before.uid)
        # The patch that removes the last finalizer is answered with the version from before.
        return msgspec.structs.replace(step.before, has_finalizer=False).raw

    @precondition(lambda self: self.unanswered)
    @rule(data=st.data())
    def an_answer_comes(self, data: st.DataObject) -> None:
        self.hear(self.unanswered.pop(data.draw(st.integers(0, len(self.unanswered) - 1))))

    def hear(self, call: Call) -> None:
        self.bench.own_writes.answered(call.access, call.answer)
        newest = self.answered.get(call.step.name)
        if newest is None or newest.step.version < call.step.version:
            self.answered[call.step.name] = call

    # The cache.

    @rule(count=st.sampled_from([1, 1, 2]))
    def events_come(self, count: int) -> None:
        for step in self.history[self.position : self.position + count]:
            self.position += 1
            if (event := self.event_of(step)) is not None:
                event_type, state = event
                entry = decode_envelope(msgspec.structs.replace(state, version=step.version).raw)
                self.bench.overlay.apply([(event_type, entry)], "", step.version)

    def event_of(self, step: Step) -> tuple[EventType, State] | None:
        before, after = self.in_scope(step.before), self.in_scope(step.state)
        if after is not None:
            return ("ADDED" if before is None or before.uid != after.uid else "MODIFIED"), after
        return None if before is None else ("DELETED", before)

    @rule()
    def a_bookmark_comes(self) -> None:
        if self.position:
            self.bench.bookmark(self.history[self.position - 1].version)

    @rule(count=st.integers(0, 5))
    def the_cache_lists_again(self, count: int) -> None:
        self.position = min(self.position + count, len(self.history))
        version = self.history[self.position - 1].version if self.position else BEGIN
        states = [self.state_at(name, version) for name in ("a", "b")]
        self.bench.relist(version, *(state.raw for state in map(self.in_scope, states) if state is not None))

    @rule(name=NAMES)
    def the_server_is_asked(self, name: str) -> None:
        state = self.in_scope(self.now.get(name))
        pending = self.bench.overlay.pending.get(key_of(name))
        is_cached = self.bench.store.entry(key_of(name)) is not None
        if state is None and not is_cached and pending is not None and pending.version:
            # From now on a reader knows that there is nothing.
            self.told_of_nothing[name] = self.version
        truth = Truth(self.version, None if state is None else decode_envelope(state.raw))
        self.bench.overlay.settle(key_of(name), truth, float("inf"))
        self.bench.overlay.settle_stream("", truth, float("inf"))

    # What must hold.

    def in_scope(self, state: State | None) -> State | None:
        return None if state is None or (self.selector and state.label != "web") else state

    def state_at(self, name: str, version: int) -> State | None:
        steps = [step for step in self.history if step.name == name and step.version <= version]
        return steps[-1].state if steps else None

    @invariant()
    def readers_see_the_newest_of_the_cache_and_our_writes(self) -> None:
        come_to = self.history[self.position - 1].version if self.position else BEGIN
        for name in ("a", "b"):
            seen, cached = self.bench.seen(name), self.in_scope(self.state_at(name, come_to))
            call = self.answered.get(name)
            told = self.told_of_nothing.get(name, 0)
            if call is None or max(told, call.step.version) <= come_to:
                assert seen == (None if cached is None else cached.version)
            elif call.step.version < told:
                assert seen is None
            elif call.step.state is not None:
                expected = self.in_scope(call.step.state)
                assert seen == (None if expected is None else expected.version)
            elif seen is not None:
                # Not what we ended, and nothing that we could know to have ended before.
                assert cached is not None
                assert call.step.before is not None
                assert cached.uid not in {call.step.before.uid, *call.known}

    def teardown(self) -> None:
        while self.unanswered:
            call = self.unanswered.pop()
            self.bench.own_writes.answered(call.access, call.answer)
        self.events_come(len(self.history))
        for name in ("a", "b"):
            self.the_server_is_asked(name)
        self.bench.bookmark(self.version)

        assert not self.bench.has_pending
        found = {entry.key: entry.version for entry in self.bench.store.entries()}
        assert found == {
            Key("default", name): state.version for name, state in self.now.items() if self.in_scope(state) is not None
        }


class SelectingMachine(OwnWritesMachine):
    selector = "app=web"


test_readers_see_own_writes_and_everything_else_as_the_cache_does = OwnWritesMachine.TestCase
test_so_they_do_when_the_cache_selects = SelectingMachine.TestCase
_settings = settings(max_examples=100, stateful_step_count=40, deadline=None)
test_readers_see_own_writes_and_everything_else_as_the_cache_does.settings = _settings
test_so_they_do_when_the_cache_selects.settings = _settings
