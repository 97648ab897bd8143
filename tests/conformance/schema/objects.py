"""Objects to compare with the real server, good and bad ones: each as its name and its spec."""

from typing import Any, TypeAlias

Case: TypeAlias = tuple[str, Any]

_FORMATS: dict[str, tuple[list[str], list[str]]] = {
    "bsonobjectid": (["507f1f77bcf86cd799439011"], ["507f1f77bcf86cd79943901", "xyz"]),
    "uri": (
        ["http://a.b/c?d", "/a/b", "mailto:a@b", "https://u:p@h:80/x", "http://[::1]:80/", "*", "//h/p", "http://a.b"],
        ["a", "", "http://a b/", "http://a:b/", "http://%zz/", "/a%2", ":x", "http://[::1/"],
    ),
    "email": (
        ["a@b.c", "Some One <a@b.c>", "<a@b>", '"q u"@b.c', "a.b+c@d", "a@[127.0.0.1]"],
        ["a", "a@", "@b", "a b@c", "a@b@c", "a.@b", ".a@b", "a@b.", "a@b c", "<a@b", ""],
    ),
    "hostname": (
        ["a", "a.bc", "x-1.example", "bücher.example", "1.ab"],
        ["a.b", "-a", "a_b", "a..bc", "a.1", "", "a" * 64],
    ),
    "ipv4": (["1.2.3.4", "01.2.3.4", "::ffff:1.2.3.4"], ["1.2.3", "1.2.3.256", "::1", "a", "1.2.3.4.5"]),
    "ipv6": (
        ["::1", "2001:db8::1", "::ffff:1.2.3.4", "1:2:3:4:5:6:7:8"],
        ["1.2.3.4", ":::1", "1:2", "g::1", "fe80::1%eth0", ""],
    ),
    "cidr": (["10.0.0.0/8", "::1/128", "010.0.0.1/8"], ["10.0.0.0", "10.0.0.0/33", "::1/129", "a/8", "1.2.3.4/"]),
    "mac": (
        ["01:23:45:67:89:ab", "01-23-45-67-89-AB", "0123.4567.89ab", "01:23:45:67:89:ab:cd:ef"],
        ["01:23:45:67:89", "01:23:45:67:89:zz", "0123456789ab", "01:23-45:67:89:ab"],
    ),
    "uuid": (["123e4567-e89b-12d3-a456-426614174000", "123E4567E89B12D3A456426614174000"], ["123", "123e4567-e89b"]),
    "uuid3": (["123e4567-e89b-32d3-a456-426614174000"], ["123e4567-e89b-12d3-a456-426614174000"]),
    "uuid4": (["123e4567-e89b-42d3-a456-426614174000"], ["123e4567-e89b-42d3-c456-426614174000"]),
    "uuid5": (["123e4567-e89b-52d3-a456-426614174000"], ["123e4567-e89b-42d3-a456-426614174000"]),
    "isbn": (["0321751043", "978-0321751041"], ["0321751044", "978-0321751042", "12"]),
    "isbn10": (["0321751043", "0-8044-2957-X"], ["978-0321751041"]),
    "isbn13": (["978-0321751041"], ["0321751043", "978-0321751040"]),
    "creditcard": (["4111-1111-1111-1111"], ["4111-1111-1111-1112", "1"]),
    "ssn": (["111-22-3333", "111 22 3333"], ["111223333", "111-22-333"]),
    "hexcolor": (["#fff", "FFFFFF"], ["#ffff", "#ggg"]),
    "rgbcolor": (["rgb(1,2,3)", "rgb( 255 , 0 , 99 )"], ["rgb(256,0,0)", "rgb(1,2)"]),
    "byte": (["aGk=", "aGVsbG8h"], ["", "a", "aGk", "*"]),
    "password": (["", "anything"], []),
    "date": (["2026-02-28", "0000-02-29"], ["2026-02-29", "2026-2-1", "x", "2026-01-01T00:00:00Z"]),
    "duration": (
        ["1h30m", "22 ns", "3 days", "1.5h", "-2s", "0", "5 Weeks", ".5s", "1 minute and 2 seconds"],
        ["", "1", "x", "1 fortnight", "h"],
    ),
    "date-time": (
        ["2026-01-02T03:04:05Z", "2026-01-02t03:04:05.123+01:00", "2026-01-02T23:59:59z"],
        ["2026-01-02", "2026-01-02T24:00:00Z", "2026-01-02T03:04:60Z", "2026-01-02T03:04:05", "2026-13-02T03:04:05Z"],
    ),
    "k8s-short-name": (["a-b"], ["a.b", "A", "-a", "a" * 64, ""]),
    "k8s-long-name": (["a.b-c"], ["A.b", "a..b", "a" * 254]),
    "unheard-of": (["what", ""], []),
}
_NUMBERS: dict[str, list[Any]] = {
    "integer": [1, -1, 1.0, 1.5, 2**62, 2**63, 1e300, True, "1", None, [1], {"a": 1}, -0.5, 1.0000000001],
    "int32": [2**31 - 1, 2**31, -(2**31), -(2**31) - 1, 2.0, 2.5, "a"],
    "int64": [2**63 - 1, 2**63, -(2**63) - 1, 3e18],
    "number": [1, 1.5, "1.5", False, 1e308, [], {}],
    "float": [1.5, 3.4e38, 3.5e38, 1e39, 1, "x"],
    "double": [1.5, 1e308, 2**70],
    "small": [1, 10, 0, 11, 10.5, 1.0, 0.5],
    "between": [1, 2, 9, 10],
    "even": [2, 3, 4.0, 5.0, -2, -3],
    "half": [0.5, 1, 0.75, 1.25, 1e6, 3],
    "fraction": [0.25, 0.2, 0, 1234567.5, 1234568.25, 12345678, 1e21, 0.00001],
    "few": [1, 4, 1.0, 1.5, "1", None, True],
    "fractions": [1, 2.5, 1.7, 2, 3.5],
}
_FIELDS: dict[str, list[Any]] = {
    "text": ["", "a", "ab", "abcde", "abcdef", "äöü", 5, None, True, [], {}, 'quo"te\\', "tab\tnew\n", "<&>"],
    "pattern": ["aaa", "b", "", 'a"', "a\n"],
    "state": ["A", "C", "", 1, None],
    "boolean": [True, "true", 0, None, {}],
    "nullable": [None, "x", 1],
    "nullableState": [None, "A", "B"],
    "withDefault": [None, "other", 3],
    "nullableWithDefault": [None, "other"],
    "nested": [None, {}, {"a": None}, {"a": {"b": None}}, {"c": "x"}, {"a": {"x": 1, "b": "y"}}, "x", []],
    "items": [
        [],
        [{}],
        [{"name": "a"}, {"name": 1}],
        [None],
        ["x"],
        {},
        [{"name": "a", "mode": None, "more": {"x": 1}}],
        "x",
    ],
    "scalars": [[], [1], [1, 2, 3, 4], ["a"], [None], [1.5, True]],
    "matrix": [[["a"], []], [["a", 1]], ["a"], [[{"x": 1}]]],
    "map": [
        {},
        {"a": 1},
        {"a": 1, "b": 2, "c": 3},
        {"a": "x"},
        {"a": None},
        {"a": {"b": 1}},
        [1],
        {"a.b/c": "x", "b": 1},
    ],
    "mapOfObjects": [{"x": {"a": "1", "z": 2}}, {"x": None}, {"x": "y"}, {"x": {"a": 1}, "y": {}}],
    "anyMap": [{"a": 1, "b": {"c": 1}, "d": [{"e": 1}, 2]}],
    "free": [{"a": {"b": [1, {"c": None}]}}, "x", [1]],
    "partlyFree": [{"known": {"a": "x", "z": 1}, "other": {"y": 1}}, {"known": "x"}],
    "freeList": [[{"a": {"b": "x", "z": 1}, "y": 1}], [1]],
    "anything": [1, "x", {"a": [1]}, [None], None],
    "set": [["a", "b"], ["a", "b", "a", "a"], ["a", None, None], []],
    "intSet": [[1, 2, 1], [1, 1.0], [1, 2]],
    "keyedByOne": [
        [{"name": "a"}, {"name": "a", "value": "x"}],
        [{"name": "a"}, {"name": "b"}],
        [{}, {}],
        ["x"],
        [{"name": None}, {}],
    ],
    "keyedByTwo": [
        [{"port": 1}, {"port": 1, "protocol": "TCP"}],
        [{"port": 1}, {"port": 1, "protocol": "UDP"}],
        [{"protocol": "TCP"}, {"protocol": "TCP"}],
    ],
    "embedded": [
        {},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "labels": {"x": "y"}}, "spec": {"a": 1}},
        {"apiVersion": "a/b/c", "kind": "p_d", "metadata": {"name": "a/b", "namespace": "A", "labels": {"x y": "!"}}},
        {
            "apiVersion": "",
            "kind": "",
            "metadata": {"annotations": {"a b": "x"}, "finalizers": ["a b"], "generation": -1},
        },
        {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"labels": {}, "name": "", "creationTimestamp": None, "foo": 1},
        },
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": 1}}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": "a"}},
        {"apiVersion": "v1", "kind": "Pod", "metadata": "x"},
        {"apiVersion": "v1", "kind": "Pod", "metadata": None},
        {"apiVersion": 1, "kind": "Pod"},
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"ownerReferences": [{"kind": "a", "bar": 1}]}},
        "x",
    ],
    "embeddedMap": [{"x": {"kind": "Pod"}}, {"x": {"apiVersion": "v1", "kind": "Pod", "metadata": {"foo": 1}}}],
}
_JUNCTORS: dict[str, list[Any]] = {
    "anyOf": [{}, {"a": "x"}, {"b": 1}, {"b": 5}, {"a": 1}, {"b": "x"}, "x"],
    "oneOf": [{}, {"a": "x"}, {"b": "y"}, {"a": "x", "b": "y"}],
    "allOf": ["ab", "a", "b", "bc", 1],
    "not": ["fine", "forbidden"],
    "port": [80, "http", "HTTP", 1.5, True, None, {}],
    "anyInt": [1, "x", 2.5, 2.0, [], None],
}
_RULES: dict[str, list[Any]] = {
    "bounds": [
        {"low": 1, "high": 2},
        {"low": 3, "high": 2},
        {"low": -1},
        {"high": 200},
        {"inner": {"note": "x"}},
        {"low": "a"},
    ],
    "word": ["good", "bad", "much too long"],
    "words": [["ab", "cd"], ["a", "bc", "d"]],
    "fixed": ["x"],
    "growing": [1, -1],
    "keyed": [[{"name": "a", "size": 1}], [{"name": "a"}]],
    "missing": [{"a": {"b": 1}}, {"a": {"b": 0}}, {}, {"a": {}}],
}
_SEVERAL: list[Any] = [
    {},
    {"text": 1, "state": "X", "numbers": {"small": 99, "even": 3}, "rules": {"word": "bad"}},
    {"text": "a", "rules": {"word": "bad", "bounds": {"low": 5, "high": 1}}},
    {"text": "ab", "unknown": 1, "nested": {"x": {"y": 1}}, "items": [{"name": "a", "b": 1}, {"name": "b", "c": [1]}]},
]


def _below(parent: str, fields: dict[str, list[Any]]) -> list[Case]:
    return [
        (f"{parent}.{name}[{at}]", {"text": "ab", parent: {name: value}})
        for name, values in fields.items()
        for at, value in enumerate(values)
    ]


CASES: list[Case] = [
    *(
        (f"{name}[{at}]", {"text": "ab", name: value})
        for name, values in _FIELDS.items()
        for at, value in enumerate(values)
    ),
    *_below("formats", {name: [*good, *bad] for name, (good, bad) in _FORMATS.items()}),
    *_below("numbers", _NUMBERS),
    *_below("junctors", _JUNCTORS),
    *_below("rules", _RULES),
    *((f"several[{at}]", spec) for at, spec in enumerate(_SEVERAL)),
]
METADATA: list[Any] = [
    {"foo": 1},
    {"labels": {"a": 1}},
    {"labels": [1]},
    {"name": 5},
    {"ownerReferences": [{"x": 1, "kind": 3}]},
    {"ownerReferences": [{"x": 1}]},
    {"ownerReferences": {}},
    {"managedFields": [{"a": 1}]},
    {"creationTimestamp": "x"},
    {"generation": "x"},
    {"generation": 1.5},
    {"finalizers": "x"},
    {"finalizers": [1]},
    {"deletionGracePeriodSeconds": "x"},
    {"labels": None, "annotations": {"a": None}},
]
