"""What objects have in them: metadata, and what each kind adds."""

from typing import Any

from hypothesis import strategies as st

from tests.conformance.programs.choices import Values, mostly, some, values

_texts = values("x", "y", "")
_labels = mostly(
    st.dictionaries(values("app", "tier"), values("a", "b"), max_size=2),
    values({"app": ""}, {"bad key!": "x"}, {"app": "not valid!"}, {"app": 5}, None, {"example.com/app": "a"}),
)
_annotations = mostly(
    st.dictionaries(values("note", "example.com/note"), _texts, max_size=2), values({"bad key!": "x"})
)
_finalizers = mostly(
    st.lists(values("example.com/one", "example.com/two"), max_size=2, unique=True),
    values(["plain"], ["example.com/one", "example.com/one"], ["orphan"], ["foregroundDeletion"], ["", "a/b"]),
    values(["orphan", "foregroundDeletion"], [], None),
)
_owner = st.fixed_dictionaries(
    {
        "apiVersion": mostly(values("v1"), values("", "a/b/c")),
        "kind": mostly(values("ConfigMap"), values("")),
        "name": mostly(values("a", "b"), values("")),
        "uid": mostly(values("$uid:a", "$uid:b"), values("", "not-a-uid")),
    },
    optional={"controller": st.booleans(), "blockOwnerDeletion": st.booleans()},
)
_odd_metadata = values(
    {"generation": 7},
    {"uid": "$uid:b"},
    {"uid": "$first-uid"},
    {"creationTimestamp": "2001-01-01T00:00:00Z"},
    {"deletionTimestamp": "2001-01-01T00:00:00Z"},
    {"deletionGracePeriodSeconds": 5},
    {"selfLink": "/x"},
    {"managedFields": []},
    {"managedFields": [{}]},
    {"managedFields": None},
    {"namespace": "other"},
    {"name": "b"},
    {"name": "Not Valid"},
    {"name": ""},
    {"generateName": "x"},
    {"bogus": 1},
    {"labels": "x"},
    {"ownerReferences": []},
    {"finalizers": None},
)


@st.composite
def metadata(draw: st.DrawFn) -> Any:
    number = draw(st.integers(0, 19))
    if number == 19:
        return draw(_odd_metadata)
    if number == 18:
        return {"ownerReferences": draw(st.lists(_owner, min_size=1, max_size=2))}
    return draw(some(labels=_labels, annotations=_annotations, finalizers=_finalizers))


_ports = st.lists(
    mostly(
        st.fixed_dictionaries({"name": values("http", "dns")}, optional={"number": values(1, 2)}),
        values({"number": 1}, {"name": "http", "bogus": 1}),
    ),
    max_size=3,
)
_widget_spec = some(
    size=mostly(values(0, 5, 7), values(-1, 101, "5", 1.5, None, [])),
    color=mostly(values("red", "green", "blue"), values("pink", 5, None, "")),
    name=mostly(values("x", "y"), values("n" * 21)),
    replicas=mostly(values(0, 1, 3), values(-1, 1.5)),
    tags=mostly(st.lists(values("t", "u", "v"), max_size=3, unique=True), values(None, "t", [1], [None], ["t", "t"])),
    ports=mostly(_ports, values(None, {}, [None])),
    args=st.lists(values("p", "q"), max_size=3),
    settings=mostly(st.dictionaries(values("k", "l"), _texts, max_size=2), values({"k": 5}, {"k": None}, [])),
)
_widget_status = some(
    phase=mostly(values("New", "Done"), values(5)),
    replicas=mostly(values(0, 2), values(-1)),
    selector=values("app=a"),
    conditions=mostly(
        st.lists(
            st.fixed_dictionaries({"type": values("Ready", "Live"), "status": values("True", "False")}),
            max_size=2,
            unique_by=lambda condition: str(condition["type"]),
        ),
        values([{"type": "Ready"}], None, [{"type": "Ready", "status": "True"}] * 2),
    ),
)
_free = st.recursive(values(1, "x", None, 1.5) | st.booleans(), lambda inner: st.lists(inner, max_size=2), max_leaves=3)
_gadget_spec = some(free=_free, list=st.lists(_free, max_size=2), deep=some(x=_free, y=_free))
_data = st.dictionaries(values("k", "l", "m"), values("1", "2", ""), min_size=1, max_size=3)
_bytes = st.dictionaries(values("k", "b"), mostly(values("YQ==", "Yg=="), values("?", 5)), min_size=1, max_size=2)
_odd_custom = values(
    {"bogus": 1}, {"spec": None}, {"spec": []}, {"spec": {"bogus": {"x": 1}}}, {"kind": ""}, {"kind": "Other"}
)
_odd_data = values(
    {"data": {"k": 5}}, {"data": None}, {"data": {"bad key!": "x"}}, {"bogus": 1}, {"data": []}, {"kind": "Other"}
)
_immutable = mostly(st.just(value=False), st.just(value=True), st.none())
_containers = st.lists(
    st.fixed_dictionaries(
        {"name": values("main", "side"), "image": values("one", "two")},
        optional={
            "env": st.lists(
                st.fixed_dictionaries({"name": values("X", "Y")}, optional={"value": _texts}),
                max_size=2,
                unique_by=lambda variable: str(variable["name"]),
            )
        },
    ),
    min_size=1,
    max_size=2,
    unique_by=lambda container: str(container["name"]),
)
_template = st.builds(
    lambda containers: {"metadata": {"labels": {"app": "a"}}, "spec": {"containers": containers}}, _containers
)
_deployment_spec = st.fixed_dictionaries(
    {
        "selector": mostly(values({"matchLabels": {"app": "a"}}), values({"matchLabels": {"app": "b"}})),
        "template": _template,
    },
    optional={
        "replicas": mostly(values(0, 1, 3), values(-1)),
        "paused": st.booleans(),
        "minReadySeconds": values(0, 5),
    },
)
_deployment_change = some(
    replicas=mostly(values(0, 1, 3, None), values(-1, "x")),
    paused=st.booleans(),
    template=_template,
    revisionHistoryLimit=values(1, None),
)
_service_ports = st.lists(
    st.fixed_dictionaries(
        {"name": values("http", "dns"), "port": mostly(values(1, 2), values(0, "x"))},
        optional={"protocol": mostly(values("TCP", "UDP"), values("X")), "targetPort": values(3, "http")},
    ),
    min_size=1,
    max_size=2,
    unique_by=lambda port: str(port["name"]),
)
_service_spec = st.fixed_dictionaries(
    {"ports": _service_ports},
    optional={
        "selector": st.dictionaries(values("app"), values("a", "b"), max_size=1),
        "type": mostly(values("ClusterIP"), values("ExternalName", "Odd")),
        "sessionAffinity": mostly(values("None", "ClientIP"), values("Odd")),
    },
)

# What an object of the kind may have beside metadata.
CONTENTS: dict[str, Values] = {
    "widget": mostly(some(spec=_widget_spec, status=_widget_status), _odd_custom),
    "gadget": mostly(some(spec=_gadget_spec, status=_gadget_spec, more=_free), _odd_custom),
    "configmap": mostly(some(data=_data, binaryData=_bytes, immutable=_immutable), _odd_data),
    "secret": mostly(
        some(data=_bytes, stringData=_data, immutable=_immutable, type=mostly(values("Opaque"), values("other"))),
        _odd_data,
    ),
    "deployment": st.builds(lambda spec: {"spec": spec}, _deployment_spec),
    "service": st.builds(lambda spec: {"spec": spec}, _service_spec),
}
# The same for a change of an object that is there.
CHANGES: dict[str, Values] = {
    **CONTENTS,
    "deployment": st.builds(lambda spec: {"spec": spec}, _deployment_change),
}
# Those that have one to write to. A service may be created by a write to its status, which does without addresses.
STATUSES: dict[str, Values] = {
    "widget": _widget_status,
    "deployment": some(replicas=values(0, 1), observedGeneration=values(1, 2), bogus=values(1)),
}
