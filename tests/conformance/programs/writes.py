"""Steps that write."""

from typing import Any

from hypothesis import strategies as st

from tests.conformance.programs.choices import Query, Values, mostly, names, often, query, values, views, weighted
from tests.conformance.programs.contents import CHANGES, CONTENTS, STATUSES, metadata
from tests.conformance.programs.step import Step

Steps = st.SearchStrategy[Step]

_options = query(
    dryRun=mostly(values("All"), values("None")),
    fieldValidation=mostly(values("Ignore", "Warn", "Strict"), values("Loose")),
    fieldManager=values("one", "two"),
)
_OPERATIONS: tuple[Any, ...] = (
    {"op": "add", "path": "/metadata/labels", "value": {"app": "b"}},
    {"op": "replace", "path": "/metadata/labels/app", "value": "a"},
    {"op": "remove", "path": "/metadata/labels"},
    {"op": "add", "path": "/metadata/annotations", "value": {"note": "x"}},
    {"op": "add", "path": "/metadata/finalizers", "value": ["example.com/one"]},
    {"op": "add", "path": "/metadata/finalizers/-", "value": "example.com/two"},
    {"op": "remove", "path": "/metadata/finalizers/0"},
    {"op": "remove", "path": "/metadata/finalizers"},
    {"op": "test", "path": "/metadata/name", "value": "a"},
    {"op": "replace", "path": "/metadata/resourceVersion", "value": "$first-version"},
    {"op": "add", "path": "/spec", "value": {"replicas": 2}},
    {"op": "add", "path": "/spec/size", "value": 7},
    {"op": "add", "path": "/spec/tags/-", "value": "w"},
    {"op": "remove", "path": "/spec/tags/0"},
    {"op": "replace", "path": "/spec/ports/0/number", "value": 9},
    {"op": "replace", "path": "/spec/replicas", "value": 4},
    {"op": "copy", "from": "/spec", "path": "/status"},
    {"op": "move", "from": "/spec/args", "path": "/spec/tags"},
    {"op": "add", "path": "/status", "value": {"phase": "Done"}},
    {"op": "add", "path": "/data/k", "value": "MQ=="},
    {"op": "remove", "path": "/data"},
)
_PATHS = ("/metadata/labels", "/metadata/finalizers/0", "/metadata/managedFields", "/spec/args/7", "/nothing/here", "")
_VALUES: tuple[Any, ...] = (1, "x", None, [], {}, {"app": "b"})


def _operations() -> Values:
    paths = st.sampled_from(_PATHS)
    odd = st.one_of(
        st.builds(
            lambda op, path, value: {"op": op, "path": path, "value": value},
            values("add", "replace", "test"),
            paths,
            values(*_VALUES),
        ),
        st.builds(lambda path: {"op": "remove", "path": path}, paths),
        st.builds(
            lambda op, here, there: {"op": op, "from": here, "path": there}, values("copy", "move"), paths, paths
        ),
        values({"op": "odd", "path": "/spec"}, {"path": "/spec"}, {"op": "add", "path": "/spec/size"}),
    )
    return mostly(st.lists(often(values(*_OPERATIONS), odd), max_size=3), values({"op": "add"}, "x"))


def _with_metadata(content: Values) -> Values:
    return st.builds(lambda inner, meta: {**inner, **({"metadata": meta} if meta else {})}, content, metadata())


def _change(kind: str) -> Values:
    """A part of an object, in which null takes away."""
    nothing = values({"spec": None}, {"metadata": {"labels": None}}, {"metadata": {"finalizers": None}}, {"data": None})
    version = values(
        {"metadata": {"resourceVersion": "$version"}},
        {"metadata": {"resourceVersion": "$first-version", "labels": {"app": "b"}}},
        {"metadata": {"resourceVersion": "0", "labels": {"app": "b"}}},
        {"metadata": {"uid": "$first-uid", "labels": {"app": "b"}}},
        {"metadata": {"resourceVersion": "x"}},
        {},
    )
    whole = _with_metadata(CHANGES[kind])
    return weighted([whole, whole, whole, whole, metadata().map(lambda meta: {"metadata": meta}), nothing, version])


def _statuses(kind: str) -> Values:
    status = STATUSES[kind].map(lambda status: {"status": status})
    return mostly(status, _change(kind), values({"status": None}))


def creates(kind: str) -> Steps:
    whole = _with_metadata(CONTENTS[kind])
    generated = whole.map(lambda body: {**body, "metadata": {**body.get("metadata", {}), "generateName": "g"}})
    named = st.builds(
        lambda name, body, query, view: Step("create", name, body=body, query=query, view=view),
        names,
        whole,
        _options,
        views,
    )
    unnamed = st.builds(lambda body, query: Step("create", body=body, query=query), generated, _options)
    return weighted([named, named, named, unnamed])


def puts(kind: str, subresource: str = "") -> Steps:
    body = _statuses(kind) if subresource else _change(kind)
    # Of what was seen, one of these may be taken away.
    less = mostly(values({}), values({"resourceVersion": None}, {"uid": None}, {"managedFields": None}))
    version = values(
        {}, {"resourceVersion": "$version"}, {"resourceVersion": "$first-version"}, {"resourceVersion": "0"}
    )
    seen = _puts(subresource, body, less, is_onto_seen=True)
    return weighted([seen, seen, seen, _puts(subresource, body, version, is_onto_seen=False)])


def _puts(subresource: str, body: Values, head: Values, *, is_onto_seen: bool) -> Steps:
    return st.builds(
        lambda name, body, head, query, view: Step(
            "put", name, subresource, "", _with_head(body, head), is_onto_seen, query, view
        ),
        names,
        body,
        head,
        _options,
        views,
    )


def _with_head(body: Any, head: dict[str, Any]) -> Any:
    return {**body, "metadata": {**(body.get("metadata") or {}), **head}} if head else body


def json_patches(subresource: str = "") -> Steps:
    return st.builds(
        lambda name, body, query: Step("patch", name, subresource, "json", body, query=query),
        names,
        _operations(),
        _options,
    )


def patches(kind: str, form: Any, subresource: str = "") -> Steps:
    body = _statuses(kind) if subresource else _change(kind)
    return st.builds(
        lambda name, body, query, view: Step("patch", name, subresource, form, body, query=query, view=view),
        names,
        mostly(body, values([], "x", None)),
        _options,
        views,
    )


def applies(kind: str, subresource: str = "") -> Steps:
    body = _statuses(kind) if subresource else _change(kind)
    return st.builds(
        lambda name, body, query: Step("patch", name, subresource, "apply", body, query=query),
        names,
        body,
        _apply_options(),
    )


def _apply_options() -> Query:
    return st.builds(
        lambda manager, force, more: {**more, **({"fieldManager": manager} if manager else {}), **force},
        mostly(values("one", "two"), values("")),
        values({}, {}, {"force": "true"}),
        query(dryRun=values("All"), fieldValidation=values("Ignore", "Warn", "Strict")),
    )


def first(kind: str) -> Steps:
    """An object that is there afterwards."""
    content = CONTENTS[kind]
    return st.one_of(
        st.builds(lambda body: Step("create", "a", body=body), content),
        st.builds(lambda body: Step("patch", "a", form="apply", body=body, query={"fieldManager": "one"}), content),
    )


def scales() -> Steps:
    spec = mostly(
        values({"replicas": 2}, {"replicas": 0}, {}), values({"replicas": -1}, {"replicas": "x"}, {"bogus": 1})
    )
    head = mostly(
        values({}),
        values({"resourceVersion": "$version"}, {"resourceVersion": "$first-version"}, {"uid": "$first-uid"}),
    )
    body = st.builds(lambda spec, head: _with_head({"spec": spec}, head), spec, head)
    return st.one_of(
        st.builds(lambda name: Step("get", name, "scale"), names),
        st.builds(
            lambda name, spec, query: Step("put", name, "scale", body={"spec": spec}, query=query),
            names,
            spec,
            _options,
        ),
        st.builds(
            lambda name, body, query: Step("patch", name, "scale", "merge", body, query=query), names, body, _options
        ),
        st.builds(
            lambda name, body, query: Step("patch", name, "scale", "apply", body, query=query),
            names,
            body,
            _apply_options(),
        ),
    )
