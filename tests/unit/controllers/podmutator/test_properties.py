"""What holds for every pod."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from controllers.podmutator import MutatorOptions, PodMutator
from controllers.podmutator.review import decode_review
from tests.unit.controllers.podmutator.reviews import Json, mutated, operations, pod, review

_KNOWN = frozenset({"resources", "containers", "initContainers", "runtimeClassName", "restartPolicy"})
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=5),
    lambda each: st.lists(each, max_size=3) | st.dictionaries(st.text(max_size=5), each, max_size=3),
    max_leaves=8,
)
_unknown = st.dictionaries(st.text(max_size=6).filter(lambda name: name not in _KNOWN), _json, max_size=3)
_amounts = st.dictionaries(
    st.sampled_from(["cpu", "memory", "nvidia.com/gpu", "ephemeral-storage", "kata.peerpods.io/vm"]),
    st.sampled_from(["0", "1", "100m", "2500m", "1Gi", "3e3", "1.5", "7Mi", 4]),
)
_resources = st.fixed_dictionaries(
    {}, optional={"requests": _amounts | st.none(), "limits": _amounts, "claims": st.just([{"name": "x"}])}
)


@st.composite
def _containers(draw: st.DrawFn) -> Json:
    made = draw(_unknown)
    if draw(st.booleans()):
        made["resources"] = draw(_resources | st.none())
    if draw(st.booleans()):
        made["restartPolicy"] = draw(st.sampled_from(["Always", ""]))
    return made


@st.composite
def _pods(draw: st.DrawFn) -> Json:
    spec = draw(_unknown)
    if draw(st.booleans()):
        spec["resources"] = draw(_resources)
    containers = draw(st.lists(_containers(), min_size=1, max_size=4))
    made = pod(*containers, init=tuple(draw(st.lists(_containers(), max_size=3))))
    made["spec"] = {**spec, **made["spec"]}
    made["metadata"] |= draw(_unknown.map(lambda fields: {k: v for k, v in fields.items() if k != "annotations"}))
    if draw(st.booleans()):
        made["metadata"]["annotations"] = draw(
            st.dictionaries(st.text(max_size=4), st.text(max_size=4), max_size=2) | st.none()
        )
    return made


_options = st.sampled_from([MutatorOptions(), MutatorOptions(aggregation="effective")])


@given(_pods(), _options)
def test_the_answer_to_an_answer_is_empty(asked: Json, options: MutatorOptions) -> None:
    assert operations(mutated(asked, options), options) == []


@given(_pods(), _options)
def test_nothing_but_resources_and_annotations_is_changed(asked: Json, options: MutatorOptions) -> None:
    after = mutated(asked, options)

    assert _rest_of(after) == _rest_of(asked)
    assert (asked["metadata"].get("annotations") or {}).items() <= (after["metadata"].get("annotations") or {}).items()
    assert _claims_of(after) == _claims_of(asked)


def _rest_of(obj: Json) -> Any:
    spec = {name: value for name, value in obj["spec"].items() if name != "resources"}
    for name in ("containers", "initContainers"):
        spec[name] = [{k: v for k, v in each.items() if k != "resources"} for each in spec.get(name, ())]
    metadata = {name: value for name, value in obj["metadata"].items() if name != "annotations"}
    return {**obj, "metadata": metadata, "spec": spec}


def _claims_of(obj: Json) -> list[Any]:
    containers = [*obj["spec"]["containers"], *obj["spec"].get("initContainers", ())]
    return [(each.get("resources") or {}).get("claims") for each in containers]


@given(_pods() | _json, _options)
def test_what_is_not_read_does_not_matter(asked: Any, options: MutatorOptions) -> None:
    """The server reads only a part of a review; the answer is that to the whole."""
    whole = review(asked)

    assert PodMutator(options).handle(decode_review(msgspec.json.encode(whole))) == PodMutator(options).handle(whole)
