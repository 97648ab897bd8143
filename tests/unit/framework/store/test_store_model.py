"""Random programs on the store and on a model that is too simple to be wrong."""

from collections.abc import Mapping

import msgspec
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from apis.core.v1 import ConfigMap
from apis.meta import Key, resource_type_of
from framework.client import Codec
from framework.runtime import ThreadRuntime
from framework.store import Change, Entry, EventType, Store, decode_envelope

NAMES = st.sampled_from(["a", "b", "c"])
NAMESPACES = st.sampled_from(["one", "two"])
VERSIONS = st.integers(1, 60)
COLORS = ["red", "blue", "none", "broken"]


class State(msgspec.Struct, frozen=True):
    """Of one key; an object that is not there has no uid."""

    version: int
    uid: str = ""


class StoreMachine(RuleBasedStateMachine):
    """For each key the newest event wins, and of those that are equally new the first one."""

    def __init__(self) -> None:
        super().__init__()
        self.store = Store(Codec(ConfigMap, resource_type_of(ConfigMap)).decode, ThreadRuntime())
        self.model: dict[Key, State] = {}
        # What somebody who only hears the changes believes to be there.
        self.believed: dict[Key, tuple[str, int]] = {}

    @initialize()
    def add_early_index(self) -> None:
        self.store.add_index("early", colors_of)

    @rule()
    def add_late_index(self) -> None:
        self.store.add_index("late", colors_of)

    @rule(
        event_type=st.sampled_from(["ADDED", "MODIFIED", "DELETED"]),
        key=st.builds(Key, NAMESPACES, NAMES),
        version=VERSIONS,
        uid=st.sampled_from(["x", "y"]),
    )
    def apply(self, event_type: EventType, key: Key, version: int, uid: str) -> None:
        self.hear(self.store.apply([(event_type, an_entry(key, version, uid))]))

        if version > self.model.get(key, State(-1)).version:
            is_deletion = event_type == "DELETED"
            self.model[key] = State(version) if is_deletion else State(version, uid)

    @rule(
        namespace=st.sampled_from(["", "one", "two"]),
        state=st.dictionaries(st.builds(Key, NAMESPACES, NAMES), VERSIONS),
    )
    def replace(self, namespace: str, state: dict[Key, int]) -> None:
        wanted = {key: version for key, version in state.items() if namespace in ("", key.namespace)}
        entries = {key: an_entry(key, version, "z") for key, version in wanted.items()}

        self.hear(self.store.replace(entries, namespace, version=60))

        there = {key: of for key, of in self.model.items() if of.uid}
        replaced = {key: State(60) for key in there if namespace in ("", key.namespace)}
        self.model = there | replaced | {key: State(version, "z") for key, version in wanted.items()}

    def hear(self, changes: list[Change[ConfigMap]]) -> None:
        for change in changes:
            before, after = identity(change.old_entry), identity(change.new_entry)
            assert before != after
            assert self.believed.get(change.key) == before
            if after is None:
                del self.believed[change.key]
            else:
                self.believed[change.key] = after

    @invariant()
    def content_is_that_of_the_model(self) -> None:
        found = {entry.key: (entry.uid, entry.version) for entry in self.store.entries()}
        assert found == {key: (of.uid, of.version) for key, of in self.model.items() if of.uid}

    @invariant()
    def changes_alone_tell_the_content(self) -> None:
        assert self.believed == {entry.key: (entry.uid, entry.version) for entry in self.store.entries()}

    @invariant()
    def indexes_are_those_of_the_model(self) -> None:
        self.check_index("early")

    def teardown(self) -> None:
        self.store.add_index("late", colors_of)
        self.check_index("late")

    def check_index(self, name: str) -> None:
        for color in COLORS:
            found = {entry.key for entry in self.store.by_index(name, color)}
            assert found == keys_of_color(self.model, color)


def color_of(version: int) -> str:
    return COLORS[version % len(COLORS)]


def colors_of(obj: ConfigMap) -> list[str]:
    color = obj.data["color"]
    if color == "broken":
        raise ValueError(color)
    return [] if color == "none" else [color, color]


def keys_of_color(model: Mapping[Key, State], color: str) -> set[Key]:
    if color in ("none", "broken"):
        return set()
    return {key for key, of in model.items() if of.uid and color_of(of.version) == color}


def identity(entry: Entry | None) -> tuple[str, int] | None:
    return None if entry is None else (entry.uid, entry.version)


def an_entry(key: Key, version: int, uid: str) -> Entry:
    metadata = {"name": key.name, "namespace": key.namespace, "uid": uid, "resourceVersion": str(version)}
    return decode_envelope(msgspec.json.encode({"metadata": metadata, "data": {"color": color_of(version)}}))


test_the_store_is_its_model = StoreMachine.TestCase
test_the_store_is_its_model.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)
