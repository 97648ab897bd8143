"""The MutatingWebhookConfiguration: which pods the API server asks about, where, and whom it trusts there."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from controllers.peerpodconfig.webhook.names import CONFIGURATION, CONFIGURATION_NAME, SERVICE_NAME, WEBHOOK_NAME
from controllers.peerpodconfig.webhook.secret_data import encoded
from controllers.peerpods.options import PeerPodOptions
from controllers.podmutator import PATH
from framework.errors import ConfigurationError


def configuration(
    options: PeerPodOptions, bundle: bytes, failure_policy: str, *, has_conditions: bool = True
) -> dict[str, Any]:
    webhook: dict[str, Any] = {
        "name": WEBHOOK_NAME,
        "clientConfig": {**_address(options), "caBundle": encoded(bundle)},
        "rules": [
            {
                "operations": ["CREATE"],
                "apiGroups": [""],
                "apiVersions": ["v1"],
                "resources": ["pods"],
                "scope": "Namespaced",
            }
        ],
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "failurePolicy": failure_policy,
        # A LimitRange fills in what was taken out; then it is taken out again.
        "reinvocationPolicy": "IfNeeded",
        "matchPolicy": "Equivalent",
        "timeoutSeconds": 10,
        "namespaceSelector": _namespaces(options),
    }
    if has_conditions:
        webhook["matchConditions"] = [{"name": "runtime-class", "expression": _expression(options)}]
    return {
        "apiVersion": CONFIGURATION.gvk.api_version,
        "kind": CONFIGURATION.gvk.kind,
        "metadata": {"name": CONFIGURATION_NAME},
        "webhooks": [webhook],
    }


def has_conditions(live: Mapping[str, Any]) -> bool:
    """Whether only pods of the class depend on the webhook; an older API server drops the field that says so."""
    found = [each for each in live.get("webhooks") or () if each.get("name") == WEBHOOK_NAME]
    return bool(found) and all(each.get("matchConditions") for each in found)


def trusts(live: Mapping[str, Any] | None, bundle: bytes) -> bool:
    webhooks = (live or {}).get("webhooks") or ()
    return any(each.get("clientConfig", {}).get("caBundle") == encoded(bundle) for each in webhooks)


def hosts(options: PeerPodOptions) -> tuple[str, ...]:
    """The names under which the API server may call."""
    name, namespace = SERVICE_NAME, options.namespace
    of_service = (
        name,
        f"{name}.{namespace}",
        f"{name}.{namespace}.svc",
        f"{name}.{namespace}.svc.{options.cluster_domain}",
    )
    if not options.webhook_url:
        return of_service
    url = urlsplit(options.webhook_url)
    if url.scheme != "https" or not url.hostname:
        raise ConfigurationError(f"webhook-url is {options.webhook_url!r}; it must be like https://host:9443")
    return (*of_service, url.hostname)


def _address(options: PeerPodOptions) -> dict[str, Any]:
    if options.webhook_url:
        return {"url": f"{options.webhook_url.rstrip('/')}{PATH}"}
    return {"service": {"namespace": options.namespace, "name": SERVICE_NAME, "port": 443, "path": PATH}}


def _namespaces(options: PeerPodOptions) -> dict[str, Any]:
    # What the cluster and the webhook itself need in order to start must not wait for it.
    spared = sorted({options.namespace, "kube-system"})
    return {"matchExpressions": [{"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": spared}]}


def _expression(options: PeerPodOptions) -> str:
    # JSON's quotes and escapes are CEL's too.
    classes = ", ".join(msgspec.json.encode(name).decode() for name in options.target_runtime_classes)
    return f"has(object.spec.runtimeClassName) && object.spec.runtimeClassName in [{classes}]"
