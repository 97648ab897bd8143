"""Changes to compare with the real server: of objects that have become invalid, and against rules about changes."""

from typing import Any, TypeAlias

from tests.conformance.schema.definition import fields, listed, string

# A name, the name of the object, and its new spec.
Case: TypeAlias = tuple[str, str, Any]

_MAP = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
_MAP_BY_TWO = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name", "port"]}


def _rule(rule: str, **more: Any) -> dict[str, Any]:
    return {"x-kubernetes-validations": [{"rule": rule, "message": f"rule {rule}", **more}]}


def _item(*, is_strict: bool) -> dict[str, Any]:
    value = string(maxLength=20, **({"enum": ["good"]} if is_strict else {}))
    rule = _rule("self.name != 'bad'") if is_strict else {}
    name = string(maxLength=20)
    return fields({"name": name, "port": {"type": "integer"}, "value": value}, required=["name", "port"], **rule)


def schema(*, is_strict: bool) -> dict[str, Any]:
    """The lax one is there first, so that objects can come to be which the strict one does not allow."""

    def only_strict(**more: Any) -> dict[str, Any]:
        return more if is_strict else {}

    item = _item(is_strict=is_strict)
    bounded = {"type": "integer", **only_strict(maximum=10)}
    return fields(
        {
            "spec": fields(
                {
                    "number": bounded,
                    "text": string(maxLength=30, **only_strict(pattern="^a")),
                    "must": string(),
                    "nested": fields({"inner": fields({"number": bounded, "other": string()}), "note": string()}),
                    "atomic": listed(item, maxItems=5),
                    "keyed": listed(item, maxItems=5, **_MAP),
                    "keyedByTwo": listed(item, maxItems=5, **_MAP_BY_TWO),
                    "map": {"type": "object", "maxProperties": 5, "additionalProperties": bounded},
                    "any": {
                        "x-kubernetes-preserve-unknown-fields": True,
                        "type": "object",
                        **only_strict(maxProperties=1),
                    },
                    "all": {"type": "integer", **only_strict(allOf=[{"maximum": 10}])},
                    "choice": fields({"a": bounded, "b": string()}, **only_strict(anyOf=[{"required": ["b"]}])),
                    "set": listed(string(), **only_strict(**{"x-kubernetes-list-type": "set"})),
                    "otherSet": listed(string(), **only_strict(**{"x-kubernetes-list-type": "set"})),
                    "ruled": fields(
                        {"low": {"type": "integer"}, "high": {"type": "integer"}, "note": string()},
                        **(_rule("!has(self.low) || !has(self.high) || self.low <= self.high") if is_strict else {}),
                    ),
                    "constant": {"type": "integer", **(_rule("self == oldSelf") if is_strict else {})},
                    "growing": {
                        "type": "integer",
                        **(
                            _rule("oldSelf.hasValue() ? self >= oldSelf.value() : self >= 5", optionalOldSelf=True)
                            if is_strict
                            else {}
                        ),
                    },
                    "growingItems": listed(
                        fields(
                            {"name": string(maxLength=20), "size": {"type": "integer"}},
                            required=["name", "size"],
                            **(_rule("self.size >= oldSelf.size") if is_strict else {}),
                        ),
                        maxItems=5,
                        **_MAP,
                    ),
                    "growingMap": {
                        "type": "object",
                        "maxProperties": 5,
                        "additionalProperties": {"type": "integer", **(_rule("self >= oldSelf") if is_strict else {})},
                    },
                },
                **only_strict(required=["must"]),
            ),
            "status": fields(
                {
                    "phase": string(**only_strict(enum=["Good"])),
                    "count": bounded,
                    "note": string(),
                    "last": {"type": "integer", **(_rule("self >= oldSelf") if is_strict else {})},
                }
            ),
        }
    )


_GOOD: dict[str, Any] = {"must": "be"}
_BAD_ITEM = {"name": "a", "port": 1, "value": "wrong"}
_RULE_BREAKER = {"name": "bad", "port": 1, "value": "good"}
OLD: dict[str, Any] = {
    "good": _GOOD,
    "incomplete": {"number": 1},
    "bad": {
        **_GOOD,
        "number": 11,
        "text": "wrong",
        "nested": {"inner": {"number": 12, "other": "x"}, "note": "n"},
        "atomic": [_BAD_ITEM],
        "keyed": [_BAD_ITEM, {"name": "b", "port": 2, "value": "good"}, _RULE_BREAKER],
        "keyedByTwo": [_BAD_ITEM, {"name": "a", "port": 2, "value": "wrong too"}],
        "map": {"x": 11, "y": 1},
        "any": {"a": 1, "b": 2},
        "all": 11,
        "choice": {"a": 11},
        "ruled": {"low": 2, "high": 1},
        "set": ["a", "a"],
    },
    "changing": {
        **_GOOD,
        "constant": 1,
        "growing": 5,
        "growingItems": [{"name": "a", "size": 2}, {"name": "b", "size": 3}],
        "growingMap": {"a": 2},
    },
}


def _changes(name: str, changes: dict[str, Any]) -> list[Case]:
    return [(f"{name}: {what}", name, {**OLD[name], **change}) for what, change in changes.items()]


CASES: list[Case] = [
    *_changes(
        "good",
        {
            "nothing": {},
            "number": {"number": 11},
            "item": {"keyed": [_BAD_ITEM]},
            "set": {"set": ["a", "a"]},
            "new constant": {"constant": 7},
            "new growing": {"growing": 4},
            "new item": {"growingItems": [{"name": "a", "size": 2}]},
        },
    ),
    *_changes("incomplete", {"nothing": {}, "more": {"number": 2}, "completed": {"must": "be"}}),
    *_changes(
        "bad",
        {
            "nothing": {},
            "something good": {"must": "have"},
            "number to good": {"number": 1},
            "number to bad": {"number": 12},
            "text to bad": {"text": "bad"},
            "nested beside": {"nested": {"inner": {"number": 12, "other": "y"}, "note": "n"}},
            "nested to bad": {"nested": {"inner": {"number": 13, "other": "x"}}},
            "atomic list longer": {"atomic": [_BAD_ITEM, {"name": "b", "port": 1, "value": "good"}]},
            "keyed list longer": {"keyed": [{"name": "n", "port": 1, "value": "good"}, *OLD["bad"]["keyed"]]},
            "keyed list turned": {"keyed": [*reversed(OLD["bad"]["keyed"])]},
            "keyed item changed": {"keyed": [{**_BAD_ITEM, "port": 2}]},
            "keyed item renamed": {"keyed": [{**_BAD_ITEM, "name": "z"}]},
            "rule breaker changed": {"keyed": [{**_RULE_BREAKER, "port": 5}]},
            "two keys, other port": {"keyedByTwo": [{**_BAD_ITEM, "port": 3}]},
            "two keys, turned": {"keyedByTwo": [*reversed(OLD["bad"]["keyedByTwo"])]},
            "map with more": {"map": {"x": 11, "y": 2, "z": 3}},
            "map with bad": {"map": {"x": 12, "y": 11}},
            "unknown fields": {"any": {"a": 1, "b": 3}},
            "all of": {"all": 12},
            "choice": {"choice": {"a": 12}},
            "choice with more": {"choice": {"a": 11, "b": "x"}},
            "rule beside": {"ruled": {"low": 2, "high": 1, "note": "x"}},
            "rule to good": {"ruled": {"low": 1, "high": 1}},
            "rule to bad": {"ruled": {"low": 3, "high": 1}},
            "other set": {"otherSet": ["b", "b"]},
            "several": {"number": 12, "text": "bad", "ruled": {"low": 5, "high": 1}},
        },
    ),
    *_changes(
        "changing",
        {
            "nothing": {},
            "constant": {"constant": 2},
            "growing": {"growing": 6},
            "shrinking": {"growing": 4},
            "items": {"growingItems": [{"name": "b", "size": 2}, {"name": "a", "size": 3}, {"name": "c", "size": 0}]},
            "map": {"growingMap": {"a": 1, "b": 0}},
        },
    ),
]
STATUSES: list[tuple[str, Any, Any]] = [
    ("first", None, {"phase": "Good"}),
    ("first and bad", None, {"phase": "Bad"}),
    ("unchanged bad", {"phase": "Bad", "count": 11}, {"phase": "Bad", "count": 11}),
    ("beside bad", {"phase": "Bad"}, {"phase": "Bad", "note": "x"}),
    ("to bad", {"phase": "Bad", "count": 1}, {"phase": "Worse", "count": 12}),
    ("rule", {"last": 2}, {"last": 1}),
    ("wrong type", None, "x"),
]
