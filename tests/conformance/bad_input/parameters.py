"""Queries that nobody understands."""

from typing import Any

from tests.conformance.bad_input.case import CONFIG_MAP, CONFIG_MAPS, WIDGET, WIDGETS, Case, get, patch, post, put
from tests.conformance.kinds import config_map, widget

_QUERIES: dict[str, str] = {
    "a negative limit": "limit=-1",
    "a word for the limit": "limit=x",
    "a fraction for the limit": "limit=1.5",
    "a huge limit": "limit=" + "9" * 30,
    "the largest limit": f"limit={2**63 - 1}",
    "an empty limit": "limit=",
    "two limits": "limit=1&limit=x",
    "a word for the timeout": "timeoutSeconds=x",
    "a huge timeout": "timeoutSeconds=" + "9" * 30,
    "a negative timeout": "timeoutSeconds=-5",
    "a word for the version": "resourceVersion=x",
    "a negative version": "resourceVersion=-1",
    "a huge version": "resourceVersion=" + "9" * 30,
    "a fraction for the version": "resourceVersion=1.5",
    "a match without a version": "resourceVersionMatch=Exact",
    "an unknown match": "resourceVersion=1&resourceVersionMatch=Odd",
    "initial events for a list": "sendInitialEvents=true",
    "a continue that is no base64": "continue=%25%25%25",
    "a continue that is no JSON": "continue=YWJj",
    "a continue with nothing in it": "continue=e30",
    "a continue with dots": "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi8uLi9hXHUwMDAwIn0",
    "a continue of another version": "continue=eyJ2IjoieCIsInJ2IjoxLCJzdGFydCI6ImEifQ",
    "a label selector without an end": "labelSelector=a+in+(",
    "a label selector of brackets": "labelSelector=((((",
    "a label selector with a long name": "labelSelector=" + "a" * 300,
    "a label selector with a bad value": "labelSelector=a%3D-b",
    "a label selector with a zero byte": "labelSelector=a%00",
    "a label selector that compares words": "labelSelector=a%3Eb",
    "a field selector without a value": "fieldSelector=metadata.name",
    "a field selector of an unknown field": "fieldSelector=spec.nothing%3Da",
    "a field selector with a backslash": "fieldSelector=metadata.name%3Da%5C",
    "a field selector with a bad escape": "fieldSelector=metadata.name%3Da%5Cx",
    "a broken escape": "limit=%zz",
    "a broken escape elsewhere": "nothing=%zz",
    "a semicolon": "limit=1;limit=x",
    "nothing but separators": "&&&=&",
}
_WATCHES: dict[str, str] = {
    "a word for the version": "resourceVersion=x",
    "a word for the timeout": "timeoutSeconds=x",
    "initial events without a match": "sendInitialEvents=true",
    "initial events with the wrong match": "sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1",
    "a match alone": "resourceVersionMatch=NotOlderThan&resourceVersion=1",
    "a bad label selector": "labelSelector=((",
    "a bad field selector": "fieldSelector=a",
}
_WRITES: dict[str, str] = {
    "an unknown dry run": "dryRun=Some",
    "two dry runs": "dryRun=All&dryRun=Some",
    "an unknown validation": "fieldValidation=Loose",
    "a long manager": "fieldManager=" + "a" * 129,
    "a manager that cannot be printed": "fieldManager=a%01b",
    "force without apply": "force=true",
    "a word for force": "force=x",
}


def parameters() -> dict[str, Case]:
    cases: dict[str, Case] = {}
    for label, query in _QUERIES.items():
        cases[f"list with {label}"] = get(f"{CONFIG_MAPS}?{query}")
        cases[f"list of widgets with {label}"] = get(f"{WIDGETS}?{query}")
    for label, query in _WATCHES.items():
        cases[f"watch with {label}"] = get(f"{CONFIG_MAPS}?watch=true&{query}")
    for label, query in _WRITES.items():
        cases[f"POST with {label}"] = post(f"{CONFIG_MAPS}?dryRun=All&{query}", config_map("x"))
        cases[f"PUT with {label}"] = put(f"{WIDGET}?dryRun=All&{query}", widget("there"))
        cases[f"merge with {label}"] = patch(f"{CONFIG_MAP}?dryRun=All&{query}", {})
    bodies: list[Any] = [
        {"propagationPolicy": "Odd"},
        {"gracePeriodSeconds": "x"},
        {"dryRun": "All"},
        {"preconditions": 5},
        [],
    ]
    for body in bodies:
        cases[f"DELETE with {body}"] = Case("DELETE", f"{CONFIG_MAPS}/missing", body)
    for query in ("propagationPolicy=Odd", "gracePeriodSeconds=x", "orphanDependents=x", "dryRun=x"):
        cases[f"DELETE with {query}"] = Case("DELETE", f"{CONFIG_MAPS}/missing?{query}")
    both = {"propagationPolicy": "Orphan", "orphanDependents": True}
    cases["DELETE with two policies"] = Case("DELETE", f"{CONFIG_MAPS}/missing", both)
    cases["DELETE with nonsense"] = Case("DELETE", f"{CONFIG_MAPS}/missing", b"{")
    return cases
