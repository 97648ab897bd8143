"""Webhook configurations, as the hooks of a process ask for them."""

import base64
from collections.abc import Sequence
from typing import Any
from urllib.parse import urlsplit

from apis.meta import GroupVersionKind, Key, ResourceType
from framework.errors import ConfigurationError
from framework.webhooks.hooks import AdmissionHook
from framework.webhooks.options import WebhookOptions

_GROUP, _VERSION = "admissionregistration.k8s.io", "v1"
VALIDATING = ResourceType(
    GroupVersionKind(_GROUP, _VERSION, "ValidatingWebhookConfiguration"), "validatingwebhookconfigurations", "Cluster"
)
MUTATING = ResourceType(
    GroupVersionKind(_GROUP, _VERSION, "MutatingWebhookConfiguration"), "mutatingwebhookconfigurations", "Cluster"
)
CONFIGURATION_OF = {"validate": VALIDATING, "mutate": MUTATING}
_NAMESPACE_NAME = "kubernetes.io/metadata.name"
_HOSTS_OF_SERVICE = ("{name}.{namespace}.svc", "{name}.{namespace}.svc.cluster.local", "{name}.{namespace}", "{name}")


def hosts_of(options: WebhookOptions) -> tuple[str, ...]:
    """The names under which the API server reaches us."""
    if options.service is not None:
        namespace, name = options.service
        return tuple(host.format(name=name, namespace=namespace) for host in _HOSTS_OF_SERVICE)
    parts = urlsplit(options.url)
    if parts.scheme != "https" or not parts.hostname:
        raise ConfigurationError(
            f"webhooks: the API server must know where to call; give a service, or a url such as https://host:9443 "
            f"(now: {options.url!r})"
        )
    return (parts.hostname,)


def name_of(options: WebhookOptions) -> str:
    """Of the webhook configurations."""
    if options.name:
        return options.name
    if options.service is None:
        raise ConfigurationError("webhooks: give a name, which no other program in the cluster has")
    return f"{options.service.name}.{options.service.namespace}"


def secret_of(options: WebhookOptions) -> Key:
    """Where the certificates are kept."""
    chosen, service = options.certificates.secret, options.service
    namespace = chosen.namespace or (service.namespace if service is not None else "default")
    return Key(namespace, chosen.name or f"{name_of(options)}-webhook-certificates")


def client_config(options: WebhookOptions, path: str, bundle: bytes = b"") -> dict[str, Any]:
    """How the API server reaches *path*, and whom it trusts there."""
    if options.service is None:
        config: dict[str, Any] = {"url": f"{options.url.rstrip('/')}{path}"}
    else:
        namespace, name = options.service
        config = {"service": {"namespace": namespace, "name": name, "port": options.service_port, "path": path}}
    return {**config, "caBundle": encoded(bundle)} if bundle else config


def encoded(bundle: bytes) -> str:
    return base64.b64encode(bundle).decode()


def configuration(
    resource_type: ResourceType, hooks: Sequence[AdmissionHook[Any]], options: WebhookOptions, bundle: bytes = b""
) -> dict[str, Any]:
    """The whole configuration of *hooks*, all of which are of *resource_type*."""
    return {
        "apiVersion": resource_type.gvk.api_version,
        "kind": resource_type.gvk.kind,
        "metadata": {"name": name_of(options)},
        "webhooks": [_entry(hook, options, bundle) for hook in sorted(hooks, key=lambda hook: hook.path)],
    }


def conversion(options: WebhookOptions, path: str, bundle: bytes) -> dict[str, Any]:
    """The `conversion` of a CustomResourceDefinition."""
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": client_config(options, path, bundle)}
    return {"strategy": "Webhook", "webhook": webhook}


def _entry(hook: AdmissionHook[Any], options: WebhookOptions, bundle: bytes) -> dict[str, Any]:
    chosen = hook.options
    group, version, _ = hook.resource_type.gvk
    plural = hook.resource_type.plural
    entry: dict[str, Any] = {
        "name": f"{hook.what}.{version}.{plural}.{group or 'core'}",
        "clientConfig": client_config(options, hook.path, bundle),
        "rules": [
            {
                "operations": list(chosen.operations),
                "apiGroups": [group],
                "apiVersions": [version],
                "resources": [f"{plural}/{each}" if each else plural for each in chosen.subresources],
                "scope": "*",
            }
        ],
        "failurePolicy": chosen.failure_policy,
        # A request in another version of the kind is converted for us.
        "matchPolicy": "Equivalent",
        "sideEffects": chosen.side_effects,
        "timeoutSeconds": chosen.timeout_seconds,
        "admissionReviewVersions": ["v1"],
    }
    if chosen.match_conditions:
        entry["matchConditions"] = [
            {"name": name, "expression": expression} for name, expression in chosen.match_conditions.items()
        ]
    if selector := _namespace_selector(hook, options):
        entry["namespaceSelector"] = selector
    if chosen.object_selector:
        entry["objectSelector"] = chosen.object_selector
    if hook.what == "mutate":
        entry["reinvocationPolicy"] = chosen.reinvocation_policy
    return entry


def _namespace_selector(hook: AdmissionHook[Any], options: WebhookOptions) -> dict[str, Any]:
    if hook.options.namespace_selector is not None:
        return hook.options.namespace_selector
    if "." in hook.resource_type.gvk.group and not hook.resource_type.gvk.group.endswith(".k8s.io"):
        return {}
    # What the cluster and we ourselves need in order to start must not wait for us.
    spared = ["kube-system"]
    if options.service is not None:
        spared.append(options.service.namespace)
    if (hook.resource_type.gvk.group, hook.resource_type.plural) == ("", "secrets"):
        spared.append(secret_of(options).namespace)
    return {"matchExpressions": [{"key": _NAMESPACE_NAME, "operator": "NotIn", "values": sorted(set(spared))}]}
