"""Steps that read or delete, with all the ways to say what of it all."""

from hypothesis import strategies as st

from tests.conformance.programs.choices import Query, Values, mostly, names, often, query, values, views
from tests.conformance.programs.step import Step

Steps = st.SearchStrategy[Step]

_LABELS = ("app=a", "app!=a", "app", "!app", "app in (a,b)", "app notin (a)", "tier=b,app=a")
_FIELDS = ("metadata.name=a", "metadata.name!=a", "metadata.namespace=other")
_policies = mostly(values("Background", "Foreground", "Orphan"), values("Sideways"))


def _selection(kind: str) -> Query:
    fields = (*_FIELDS, "spec.color=red", "spec.color!=red") if kind == "widget" else _FIELDS
    return query(
        labelSelector=mostly(values(*_LABELS), values("app in", "bad key!=x")),
        fieldSelector=mostly(values(*fields), values("spec.size=5", "metadata.name")),
    )


def _joined(*queries: Query) -> Query:
    return st.tuples(*queries).map(lambda parts: {name: value for part in parts for name, value in part.items()})


def deletes() -> Steps:
    by_query = st.builds(lambda name, query: Step("delete", name, query=query), names, _delete_query())
    by_body = st.builds(lambda name, options: Step("delete", name, body=options or None), names, _delete_options())
    return st.one_of(by_query, by_body)


def _delete_query() -> Query:
    return query(dryRun=values("All"), propagationPolicy=_policies, gracePeriodSeconds=values("0", "7", "x"))


def _delete_options() -> Values:
    preconditions = values(
        {"uid": "$uid"}, {"uid": "$first-uid"}, {"resourceVersion": "$version"}, {"resourceVersion": "$first-version"}
    )
    dependents = values({}, {}, {"propagationPolicy": "Background"}, {"propagationPolicy": "Foreground"})
    odd = values({"propagationPolicy": "Orphan"}, {"orphanDependents": True}, {"orphanDependents": False})
    both = values({"propagationPolicy": "Orphan", "orphanDependents": True}, {"propagationPolicy": "Sideways"})
    rest = st.fixed_dictionaries(
        {},
        optional={
            "preconditions": preconditions,
            "gracePeriodSeconds": values(0, 5, -1),
            "dryRun": mostly(values([]), values(["All"], ["None"])),
        },
    )
    return st.builds(lambda rest, more: {**rest, **more}, rest, often(dependents, odd, both))


def delete_collections(kind: str) -> Steps:
    limits = query(limit=values("1"), resourceVersion=values("0", "$version"), **{"continue": values("$continue")})
    by_query = st.builds(
        lambda query: Step("delete-collection", query=query), _joined(_selection(kind), _delete_query(), limits)
    )
    by_body = st.builds(
        lambda query, options: Step("delete-collection", query=query, body=options or None),
        _selection(kind),
        _delete_options(),
    )
    return st.one_of(by_query, by_body)


def gets() -> Steps:
    versions = query(resourceVersion=values("$version", "$first-version", "$start", "0", "x"))
    return st.builds(lambda name, view, query: Step("get", name, view=view, query=query), names, views, versions)


def lists(kind: str) -> Steps:
    versions = values(
        {"resourceVersion": "$version"},
        {"resourceVersion": "0"},
        {"resourceVersion": "$start", "resourceVersionMatch": "Exact"},
        {"resourceVersion": "$version", "resourceVersionMatch": "Exact"},
        {"resourceVersion": "$first-version", "resourceVersionMatch": "Exact"},
        {"resourceVersion": "$version", "resourceVersionMatch": "NotOlderThan"},
        {"resourceVersion": "$listed", "resourceVersionMatch": "Exact"},
        {"resourceVersion": "0", "resourceVersionMatch": "NotOlderThan"},
    )
    odd = values(
        {"resourceVersion": "0", "resourceVersionMatch": "Exact"},
        {"resourceVersion": "$version", "resourceVersionMatch": "Odd"},
        {"resourceVersionMatch": "Exact"},
        {"resourceVersion": "x"},
        {"resourceVersion": "$version", "continue": "$continue"},
        {"continue": "x"},
        {"limit": "x"},
        {"sendInitialEvents": "true"},
    )
    pages = values(
        {}, {}, {"limit": "1"}, {"limit": "2"}, {"limit": "1", "continue": "$continue"}, {"continue": "$continue"}
    )
    selected = _joined(_selection(kind), pages, often(values({}), mostly(versions, odd)))
    return st.builds(lambda query, view: Step("list", query=query, view=view), selected, views)


def watches(kind: str) -> Steps:
    begin = often(
        values(
            {"resourceVersion": "$start"}, {"resourceVersion": "$version"}, {"resourceVersion": "$first-version"}, {}
        ),
        values(
            {"resourceVersion": "$listed"},
            {"resourceVersion": "0"},
            {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "allowWatchBookmarks": "true"},
            {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", "resourceVersion": "$version"},
        ),
        values(
            {"resourceVersion": "x"},
            {"sendInitialEvents": "true"},
            {"sendInitialEvents": "false", "resourceVersionMatch": "NotOlderThan"},
            {"resourceVersionMatch": "Exact", "resourceVersion": "$version"},
        ),
    )
    # Each of them lets one of the markers through that end the reading.
    selection = often(
        values({}),
        values(*({"labelSelector": text} for text in ("app=a", "app!=a", "app", "!app", "app notin (a)"))),
        values({"fieldSelector": "metadata.name!=a"}, *_COLORS if kind == "widget" else ()),
    )
    return st.builds(lambda query, view: Step("watch", query=query, view=view), _joined(begin, selection), views)


_COLORS = ({"fieldSelector": "spec.color=blue"}, {"fieldSelector": "spec.color!=blue"})
