"""Defaults of the webhook configurations."""

from framework.apiserver.objects import Object


def default_validating_webhook(webhook: Object) -> None:
    webhook.setdefault("failurePolicy", "Fail")
    webhook.setdefault("matchPolicy", "Equivalent")
    webhook.setdefault("namespaceSelector", {})
    webhook.setdefault("objectSelector", {})
    webhook.setdefault("timeoutSeconds", 10)


def default_mutating_webhook(webhook: Object) -> None:
    default_validating_webhook(webhook)
    webhook.setdefault("reinvocationPolicy", "Never")


def default_rule(rule: Object) -> None:
    rule.setdefault("scope", "*")


def default_service_reference(reference: Object) -> None:
    reference.setdefault("port", 443)


WEBHOOK_DEFAULTS = {
    "admissionregistration.v1.ValidatingWebhook": default_validating_webhook,
    "admissionregistration.v1.MutatingWebhook": default_mutating_webhook,
    "admissionregistration.v1.RuleWithOperations": default_rule,
    "admissionregistration.v1.ServiceReference": default_service_reference,
}
