"""Bodies that are no objects, or not of the kind that is wanted."""

from typing import Any

from tests.conformance.api import APPLY, JSON_PATCH, MERGE, STRATEGIC
from tests.conformance.bad_input.case import (
    CONFIG_MAP,
    CONFIG_MAPS,
    DEPLOYMENTS,
    WIDGET,
    WIDGETS,
    Case,
    of_both,
    patch,
    post,
)
from tests.conformance.kinds import GROUP, config_map, widget

_MALFORMED: dict[str, bytes] = {
    "nothing": b"",
    "a brace": b"{",
    "a word": b"nonsense",
    "a trailing comma": b'{"a":1,}',
    "two values": b"{} {}",
    "a byte order mark": b"\xef\xbb\xbf{}",
    "NaN": b'{"metadata":{"name":"x"},"data":{"a":NaN}}',
    "a control character": b'{"a":"\x01"}',
    "zeros": b"\0\0\0\0",
    "XML": b"<a/>",
    "gzip": b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03",
}
_TOP_LEVEL: dict[str, Any] = {
    "null": b"null",
    "a list": b"[]",
    "a list of objects": b"[{}]",
    "a number": b"5",
    "a text": b'"x"',
    "a truth": b"true",
    "an empty object": b"{}",
}
_TYPES: dict[str, Any] = {
    "a list for apiVersion": {"apiVersion": ["a"]},
    "a number for apiVersion": {"apiVersion": 5},
    "an object for kind": {"kind": {"a": 1}},
    "a number for kind": {"kind": 5},
    "three parts in apiVersion": {"apiVersion": "a/b/c"},
    "another apiVersion": {"apiVersion": "v2"},
    "another group": {"apiVersion": "apps/v1"},
    "another kind": {"kind": "Pod", "apiVersion": "v1"},
    "no apiVersion": {"apiVersion": ""},
    "no kind": {"kind": ""},
    "nothing for kind": {"kind": None},
    "a text for metadata": {"metadata": "x"},
    "a list for metadata": {"metadata": []},
    "a number for labels": {"metadata": {"name": "x", "labels": 5}},
    "a number for a label": {"metadata": {"name": "x", "labels": {"a": 5}}},
    "nothing for a label": {"metadata": {"name": "x", "labels": {"a": None}}},
    "a number for the name": {"metadata": {"name": 5}},
    "a list for owners": {"metadata": {"name": "x", "ownerReferences": [[]]}},
    "nothing for an owner": {"metadata": {"name": "x", "ownerReferences": [None]}},
    "nothing for a finalizer": {"metadata": {"name": "x", "finalizers": [None]}},
    "a text for the generation": {"metadata": {"name": "x", "generation": "1"}},
    "a fraction for the generation": {"metadata": {"name": "x", "generation": 1.5}},
    "a huge generation": {"metadata": {"name": "x", "generation": 1e30}},
    "a word for a time": {"metadata": {"name": "x", "creationTimestamp": "yesterday"}},
    "a version that is a number": {"metadata": {"name": "x", "resourceVersion": 5}},
    "a version that is none": {"metadata": {"name": "x", "resourceVersion": "x"}},
    "a version": {"metadata": {"name": "x", "resourceVersion": "5"}},
    "another namespace": {"metadata": {"name": "x", "namespace": "elsewhere"}},
}
_NAMES: dict[str, str] = {
    "capitals": "Name",
    "a space": "a b",
    "a dot at the end": "a.",
    "a slash": "a/b",
    "two dots": "..",
    "a dot": ".",
    "a percent sign": "a%b",
    "letters of others": "ä",
    "a zero byte": "a\0b",
    "a line break": "a\nb",
    "300 letters": "a" * 300,
    "254 letters": "a" * 254,
    "253 letters": "a" * 253,
    "nothing": "",
}


def bodies() -> dict[str, Case]:
    cases = of_both(post, "POST", **_MALFORMED)
    cases |= of_both(post, "POST", **_TOP_LEVEL)
    for label, change in _TYPES.items():
        cases[f"POST config map: {label}"] = post(f"{CONFIG_MAPS}?dryRun=All", {**config_map("x"), **change})
        cases[f"POST widget: {label}"] = post(f"{WIDGETS}?dryRun=All", {**widget("x"), **change})
        own = label in {"another kind", "no apiVersion"}
        cases[f"merge config map: {label}"] = patch(f"{CONFIG_MAP}?dryRun=All", change, has_own_words=own)
        cases[f"merge widget: {label}"] = patch(f"{WIDGET}?dryRun=All", change)
    for label, name in _NAMES.items():
        cases[f"POST config map named {label}"] = post(f"{CONFIG_MAPS}?dryRun=All", config_map(name))
        cases[f"POST widget named {label}"] = post(f"{WIDGETS}?dryRun=All", widget(name))
    for label, body in (_MALFORMED | _TOP_LEVEL).items():
        for content_type in (MERGE, JSON_PATCH, STRATEGIC, APPLY):
            target = f"{CONFIG_MAP}?dryRun=All" + ("&fieldManager=x" if content_type == APPLY else "")
            own = content_type == APPLY and label == "two values"
            name = f"{content_type.partition('/')[2]}: {label}"
            cases[name] = patch(target, body, content_type, has_own_words=own)
    return cases


_DEEP = {
    f"{form} {depth} deep": body
    for depth in (20_000,)
    for form, body in {
        "lists": b'{"metadata":{"name":"x"},"data":' + b"[" * depth + b"]" * depth + b"}",
        "objects": b'{"metadata":{"name":"x"},"data":' + b'{"a":' * depth + b"1" + b"}" * depth + b"}",
        "lists without an end": b"[" * depth,
    }.items()
}


def numbers() -> dict[str, Case]:
    bodies = {
        "an integer too large": b"9223372036854775808",
        "an integer far too large": b"1" + b"0" * 400,
        "a fraction": b"1.5",
        "an exponent": b"1e3",
        "an exponent too large": b"1e999",
        "a negative zero": b"-0",
        "a text": b'"1"',
        "nothing": b"null",
        "a truth": b"true",
    }
    cases: dict[str, Case] = {}
    for label, number in bodies.items():
        own = "too large" in label
        head = b'"metadata":{"name":"x"}'
        spec = b'{"apiVersion":"%s/v1","kind":"Widget",%s,"spec":{"size":%s}}' % (GROUP.encode(), head, number)
        cases[f"{label} for a size"] = post(f"{WIDGETS}?dryRun=All", spec, has_own_words=own)
        spec = b'{%s,"spec":{"replicas":%s,"selector":{"matchLabels":{"a":"b"}},"template":{}}}' % (head, number)
        # Go reads no exponent into an integer, and nothing here knows any more that there was one.
        if label != "an exponent":
            cases[f"{label} for replicas"] = post(f"{DEPLOYMENTS}?dryRun=All", spec, has_own_words=own)
        datum = b'{%s,"data":{"a":%s}}' % (head, number)
        cases[f"{label} for a datum"] = post(f"{CONFIG_MAPS}?dryRun=All", datum, has_own_words=own)
    twice = b'{"metadata":{"name":"x","name":"y"},"data":{"a":"1","a":"2"}}'
    cases["names given twice"] = post(f"{CONFIG_MAPS}?dryRun=All&fieldValidation=Strict", twice)
    cases["unknown fields"] = post(
        f"{CONFIG_MAPS}?dryRun=All&fieldValidation=Strict",
        {**config_map("x"), "odd": 1, "metadata": {"name": "x", "a": 2}},
    )
    for label, body in _DEEP.items():
        cases[f"POST of {label}"] = post(CONFIG_MAPS, body, has_own_words=True)
    return cases
