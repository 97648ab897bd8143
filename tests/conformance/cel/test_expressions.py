"""The same rules and expressions here and on the real server: what they accept, and every word they say."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec
import pytest

from framework.apiserver.cel import CelCompiler, CelError
from framework.client import Client
from framework.client.call import Call
from framework.errors import Invalid
from tests.conformance.cel.cases import BAD_RULES, EXPRESSIONS, MANY, RULES, Case

GROUP = "cel.windlass.example"
DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ATTEMPTS = 200

Install = Callable[[str, Mapping[str, Any]], None]


def send(client: Client, method: str, path: str, body: Mapping[str, Any] | None = None, **query: str) -> Any:
    content = None if body is None else msgspec.json.encode(body)
    answer = client.connection.send(Call(verb=method.lower(), method=method, path=path, query=query, body=content))
    return msgspec.json.decode(answer.body)


def definition(plural: str, properties: Mapping[str, Any]) -> dict[str, Any]:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": properties}}}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    kind = plural.capitalize()
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "scope": "Cluster",
            "names": {"plural": plural, "singular": plural, "kind": kind, "listKind": f"{kind}List"},
            "versions": [version],
        },
    }


def refusals(client: Client, plural: str, spec: Mapping[str, Any]) -> dict[str, str]:
    """What the server says about each field of a new object, by the field's path."""
    manifest = {"apiVersion": f"{GROUP}/v1", "kind": plural.capitalize(), "metadata": {"name": "it"}, "spec": spec}
    try:
        send(client, "POST", f"/apis/{GROUP}/v1/{plural}", manifest, dryRun="All")
    except Invalid as refused:
        found: dict[str, str] = {}
        for cause in refused.causes:
            # The value before the reason is spelt by the schema's validation and not by CEL.
            found[cause.field] = cause.message
        return found
    return {}


@pytest.fixture
def installed(client: Client) -> Iterator[Install]:
    made: list[str] = []

    def install(plural: str, properties: Mapping[str, Any]) -> None:
        manifest = definition(plural, properties)
        send(client, "POST", DEFINITIONS, manifest)
        made.append(f"{DEFINITIONS}/{manifest['metadata']['name']}")
        for _ in range(ATTEMPTS):
            conditions = send(client, "GET", made[-1])["status"].get("conditions") or ()
            if any(each["type"] == "Established" and each["status"] == "True" for each in conditions):
                return

    yield install
    for path in made:
        send(client, "DELETE", path)


def our_refusal(case: Case, value: Any) -> str | None:
    """What follows `Invalid value: …: ` in the real server's message."""
    program = CelCompiler().compile(case.rule, {"self": case.schema})
    rule = " ".join(case.rule.split())
    try:
        return None if program.evaluate({"self": value}) is True else f"failed rule: {rule}"
    except CelError as error:
        if str(error).startswith("no such overload"):
            mismatch = "call arguments did not match a supported operator, function or macro signature"
            return f"'{error}': {mismatch} for rule: {rule}"
        return f"{error} evaluating rule: {rule}"


def test_rules_accept_and_refuse_the_same_values_in_the_same_words(client: Client, installed: Install) -> None:
    properties = {
        f"c{number}": {
            "type": "array",
            "maxItems": 16,
            "items": {**case.schema, "x-kubernetes-validations": [{"rule": case.rule}]},
        }
        for number, case in enumerate(RULES)
    }
    installed("rules", properties)
    found = refusals(client, "rules", {f"c{number}": list(case.values) for number, case in enumerate(RULES)})

    different = []
    for number, case in enumerate(RULES):
        for index, value in enumerate(case.values):
            theirs, ours = found.get(f"spec.c{number}[{index}]"), our_refusal(case, value)
            agree = (theirs is None) == (ours is None) and (theirs is None or theirs.endswith(f": {ours}"))
            if not agree:
                different.append((case.rule, value, theirs, ours))

    assert different == []


def test_expressions_give_the_same_text(client: Client, installed: Install) -> None:
    properties = {
        f"e{number}": {
            "type": "integer",
            "x-kubernetes-validations": [{"rule": "false", "messageExpression": expression}],
        }
        for number, expression in enumerate(EXPRESSIONS)
    }
    installed("texts", properties)
    found = refusals(client, "texts", {f"e{number}": 0 for number in range(len(EXPRESSIONS))})

    different = []
    for number, expression in enumerate(EXPRESSIONS):
        theirs = found[f"spec.e{number}"].removeprefix("Invalid value: 0: ")
        try:
            ours = CelCompiler().compile(expression, {}).evaluate({}).strip()
        except CelError as error:
            ours = f"failed rule: false ({error})"
        if theirs != ours:
            different.append((expression, theirs, ours))

    assert different == []


def test_rules_that_the_real_server_refuses_are_refused_in_the_same_words(client: Client) -> None:
    properties = {
        f"b{number}": {**MANY, "x-kubernetes-validations": [{"rule": rule, "message": "no"}]}
        for number, rule in enumerate(BAD_RULES)
    }
    with pytest.raises(Invalid) as refused:
        send(client, "POST", DEFINITIONS, definition("bads", properties), dryRun="All")
    found = {cause.field: cause.message for cause in refused.value.causes}

    different = []
    for number, rule in enumerate(BAD_RULES):
        field = (
            f"spec.validation.openAPIV3Schema.properties[spec].properties[b{number}].x-kubernetes-validations[0].rule"
        )
        message = found.get(field, "accepted")
        # The number in the name of an object's type is another one each time.
        theirs = re.sub(r"selfType\d+", "selfType0", message.partition(": compilation failed: ")[2] or message)
        ours = our_complaint(rule)
        if not theirs.endswith(ours):
            different.append((rule, theirs, ours))

    assert different == []


def our_complaint(rule: str) -> str:
    try:
        program = CelCompiler().compile(rule, {"self": MANY, "oldSelf": MANY})
    except CelError as error:
        return str(error)
    return "accepted" if program.result_type == "bool" else "cel expression must evaluate to a bool"
