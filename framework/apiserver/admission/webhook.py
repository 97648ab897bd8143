"""One webhook of a configuration, made ready for matching and calling."""

from collections.abc import Sequence

import msgspec

from framework.apiserver.admission.client_config import ClientConfig, client_of
from framework.apiserver.admission.match_conditions import Compile, MatchCondition
from framework.apiserver.admission.rules import Rule, rule_of
from framework.apiserver.objects import Object
from framework.apiserver.selectors import LabelSelector, label_selector_from_object

_DEFAULT_TIMEOUT_SECONDS = 10


class Webhook(msgspec.Struct, frozen=True):
    # Names it among all webhooks of its kind.
    key: tuple[str, int]
    name: str
    client: ClientConfig
    rules: tuple[Rule, ...]
    namespaces: LabelSelector
    objects: LabelSelector
    conditions: tuple[MatchCondition, ...]
    review_versions: tuple[str, ...]
    timeout_seconds: float
    ignores_failures: bool
    matches_equivalent: bool
    has_side_effects: bool
    is_reinvoked: bool


def webhooks_of(configuration: Object, compile_expression: Compile) -> Sequence[Webhook]:
    name = configuration["metadata"]["name"]
    documents = configuration.get("webhooks") or ()
    return [_webhook((name, index), document, compile_expression) for index, document in enumerate(documents)]


def _webhook(key: tuple[str, int], document: Object, compile_expression: Compile) -> Webhook:
    conditions = document.get("matchConditions") or ()
    return Webhook(
        key=key,
        name=document["name"],
        client=client_of(document.get("clientConfig") or {}),
        rules=tuple(rule_of(rule) for rule in document.get("rules") or ()),
        namespaces=label_selector_from_object(document.get("namespaceSelector") or {}),
        objects=label_selector_from_object(document.get("objectSelector") or {}),
        conditions=tuple(MatchCondition(each["expression"], compile_expression) for each in conditions),
        review_versions=tuple(document.get("admissionReviewVersions") or ()),
        timeout_seconds=document.get("timeoutSeconds") or _DEFAULT_TIMEOUT_SECONDS,
        ignores_failures=document.get("failurePolicy") == "Ignore",
        matches_equivalent=document.get("matchPolicy", "Equivalent") == "Equivalent",
        has_side_effects=document.get("sideEffects") not in {"None", "NoneOnDryRun"},
        is_reinvoked=document.get("reinvocationPolicy") == "IfNeeded",
    )
