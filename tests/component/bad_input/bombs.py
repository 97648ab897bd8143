"""Bodies of at most 3 MiB that want to become something huge."""

import gzip
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from tests.component.fuzz.rich_definition import GROUP as FUZZ_GROUP
from tests.conformance.api import APPLY, JSON, JSON_PATCH, MERGE, STRATEGIC
from tests.conformance.kinds import GROUP

LIMIT = 3 * 1024 * 1024
YAML, PROTOBUF = "application/yaml", "application/vnd.kubernetes.protobuf"
CONFIG_MAPS = "/api/v1/namespaces/default/configmaps"
PODS = "/api/v1/namespaces/default/pods"
GADGETS = f"/apis/{GROUP}/v1/gadgets"
THINGS = f"/apis/{FUZZ_GROUP}/v1/namespaces/default/things"
_POD = b'{"metadata":{"name":"x"},"spec":{"containers":['
_GADGET = b'{"apiVersion":"%s/v1","kind":"Gadget","metadata":{"name":"x"},' % GROUP.encode()
_THING = b'{"apiVersion":"%s/v1","kind":"Thing","metadata":{"name":"x"},"spec":{"size":1,' % FUZZ_GROUP.encode()
_YAML_GADGET = b"apiVersion: %s/v1\nkind: Gadget\nmetadata: {name: x}\n" % GROUP.encode()


class Bomb(NamedTuple):
    method: str
    target: str
    body: bytes
    content_type: str = JSON
    headers: Mapping[str, str] = MappingProxyType({})


def _full_of(head: bytes, item: bytes, tail: bytes) -> bytes:
    """As many of *item* as there is room for."""
    return head + b",".join([item] * ((LIMIT - len(head) - len(tail)) // (len(item) + 1))) + tail


def _just_allowed(head: bytes, item: bytes, tail: bytes) -> bytes:
    """As many of *item* as are not too many values."""
    return head + b",".join([item] * 190_000) + tail


def _keys(count: int, head: bytes, tail: bytes, value: bytes = b'"v"') -> bytes:
    return head + b",".join(b'"k%d":%s' % (number, value) for number in range(count)) + tail


def _varint(number: int) -> bytes:
    data = b""
    while number > 127:
        data += bytes([number & 127 | 128])
        number >>= 7
    return data + bytes([number])


def _message(content: bytes) -> bytes:
    """Field 2 of a message, with *content*."""
    return b"\x12" + _varint(len(content)) + content


_LAUGHS = b"".join(b"%c: &%c [%s]\n" % (n + 1, n + 1, b",".join([b"*%c" % n] * 9)) for n in range(97, 105))

BOMBS: dict[str, Bomb] = {
    "a million containers": Bomb("POST", PODS, _full_of(_POD, b"{}", b"]}}")),
    "as many containers as are taken": Bomb("POST", PODS, _just_allowed(_POD, b"{}", b"]}}")),
    "a million containers in protobuf": Bomb(
        "POST", PODS, b"k8s\0" + _message(_message(b"\x12\x00" * 1_500_000)), PROTOBUF
    ),
    "as many finalizers as are taken": Bomb(
        "POST", CONFIG_MAPS, _just_allowed(b'{"metadata":{"name":"x","finalizers":[', b'""', b"]}}")
    ),
    "many owners": Bomb(
        "POST",
        CONFIG_MAPS,
        b'{"metadata":{"name":"x","ownerReferences":['
        + b",".join(b'{"uid":"%d"}' % number for number in range(95_000))
        + b"]}}",
    ),
    "as many labels as are taken": Bomb(
        "POST", CONFIG_MAPS, _keys(190_000, b'{"metadata":{"name":"x","labels":{', b"}}}")
    ),
    "as many unknown fields as are taken": Bomb(
        "POST", f"{CONFIG_MAPS}?fieldValidation=Strict", _keys(190_000, b'{"metadata":{"name":"x"},', b"}")
    ),
    "the same field many times": Bomb("POST", GADGETS, _full_of(_GADGET, b'"a":1', b"}")),
    "a list of empty lists": Bomb("POST", GADGETS, _full_of(_GADGET + b'"a":[', b"[]", b"]}")),
    "a list of fractions": Bomb("POST", GADGETS, _full_of(_GADGET + b'"a":[', b"1.5", b"]}")),
    "lists in lists": Bomb("POST", GADGETS, b"[" * LIMIT),
    "objects in objects": Bomb("POST", GADGETS, (b'{"a":' * LIMIT)[:LIMIT]),
    "items with defaults and rules": Bomb("POST", THINGS, _just_allowed(_THING + b'"ports":[', b"{}", b"]}}")),
    "a long text under a rule": Bomb("POST", THINGS, _THING + b'"names":["' + b"a" * 3_000_000 + b'"]}}'),
    "a long list in YAML": Bomb("POST", GADGETS, _YAML_GADGET + b"a:\n" + b"- x\n" * 780_000, YAML),
    "deep YAML": Bomb("POST", GADGETS, b"a: " + b"[" * 3_000_000, YAML),
    "aliases of aliases": Bomb("POST", GADGETS, b"a: &a [x,x,x,x,x,x,x,x,x]\n" + _LAUGHS, YAML),
    "aliases of a long text": Bomb(
        "POST",
        GADGETS,
        _YAML_GADGET + b"b: &b " + b"x" * 2_000_000 + b"\na: [" + b",".join([b"*b"] * 150_000) + b"]",
        YAML,
    ),
    "an alias of itself": Bomb("POST", GADGETS, _YAML_GADGET + b"a: &a [*a, *a]", YAML),
    "an apply of many fields": Bomb("PATCH", f"{GADGETS}/x?fieldManager=a", _keys(190_000, _GADGET, b"}"), APPLY),
    "a patch of many copies": Bomb(
        "PATCH",
        f"{CONFIG_MAPS}/there",
        b'[{"op":"add","path":"/data","value":{"a":"%s"}},' % (b"x" * 1_000_000)
        + b",".join(b'{"op":"copy","from":"/data/a","path":"/data/b%d"}' % number for number in range(9_000))
        + b"]",
        JSON_PATCH,
    ),
    "a merge of many fields": Bomb("PATCH", f"{CONFIG_MAPS}/there", _keys(190_000, b'{"data":{', b"}}"), MERGE),
    "a strategic merge of many fields": Bomb(
        "PATCH", f"{CONFIG_MAPS}/there", _keys(190_000, b'{"data":{', b"}}"), STRATEGIC
    ),
    "gzip": Bomb("POST", CONFIG_MAPS, gzip.compress(b"0" * 100_000_000), JSON, {"Content-Encoding": "gzip"}),
    "a selector with many values": Bomb(
        "GET", f"{CONFIG_MAPS}?labelSelector=a+in+({','.join(f'b{number}' for number in range(100_000))})", b""
    ),
    "many selectors": Bomb(
        "GET", f"{CONFIG_MAPS}?labelSelector={','.join(f'a{number}' for number in range(100_000))}", b""
    ),
    "brackets in a selector": Bomb("GET", f"{CONFIG_MAPS}?labelSelector={'(' * 1_000_000}", b""),
    "a long token": Bomb("GET", f"{CONFIG_MAPS}?continue={'a' * 1_000_000}", b""),
    "a deep token": Bomb("GET", f"{CONFIG_MAPS}?continue={'W1tb' * 250_000}", b""),
}
