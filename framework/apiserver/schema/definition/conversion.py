"""spec.conversion: how objects get from one version to another."""

import base64
import binascii
import re

from framework.apiserver.fields import FieldError, forbidden_field, invalid_value, required, unsupported
from framework.apiserver.objectmeta.names import dns_1035_label_problems, dns_subdomain_problems
from framework.apiserver.schema.definition.model import ClientConfig, Conversion, ServiceReference, Spec
from framework.apiserver.schema.definition.options import Options

_REVIEW_VERSIONS = ("v1", "v1beta1")
_STRATEGIES = ["None", "Webhook"]
_ONLY_WEBHOOK = "should not be set when strategy is not set to Webhook"
_DESIRED = "; desired format: https://host[/path]"
_URL = re.compile(r"(?:([a-zA-Z][a-zA-Z0-9+.-]*):)?(?://([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?", re.DOTALL)
_GREATEST_PORT = 65535


def conversion_errors(spec: Spec, options: Options) -> list[FieldError]:
    conversion = spec.conversion
    if conversion is None:
        return []
    path = "spec.conversion"
    errors = _strategy_errors(conversion.strategy, f"{path}.strategy")
    if spec.preserve_unknown_fields and conversion.strategy != "None":
        detail = "must be None if spec.preserveUnknownFields is true"
        errors.append(invalid_value(f"{path}.strategy", conversion.strategy, detail))
    if conversion.strategy == "Webhook":
        return errors + _webhook_errors(conversion, path, options)
    webhook = conversion.webhook
    if webhook is not None and webhook.client_config is not None:
        errors.append(forbidden_field(f"{path}.webhookClientConfig", _ONLY_WEBHOOK))
    if webhook is not None and webhook.conversion_review_versions:
        errors.append(forbidden_field(f"{path}.conversionReviewVersions", _ONLY_WEBHOOK))
    return errors


def has_recognized_review_version(conversion: Conversion | None) -> bool:
    """Whether the webhook of *conversion* understands us; one that names no version does."""
    webhook = conversion.webhook if conversion is not None else None
    versions = webhook.conversion_review_versions if webhook is not None else None
    return not versions or any(version in _REVIEW_VERSIONS for version in versions)


def has_bad_ca_bundle(conversion: Conversion | None) -> bool:
    webhook = conversion.webhook if conversion is not None else None
    config = webhook.client_config if webhook is not None else None
    return config is not None and bool(config.ca_bundle) and not _is_certificate(config.ca_bundle)


def _strategy_errors(strategy: str, path: str) -> list[FieldError]:
    if not strategy:
        return [required(path)]
    return [] if strategy in _STRATEGIES else [unsupported(path, strategy, _STRATEGIES)]


def _webhook_errors(conversion: Conversion, path: str, options: Options) -> list[FieldError]:
    webhook = conversion.webhook
    config = webhook.client_config if webhook is not None else None
    if config is None:
        errors = [required(f"{path}.webhookClientConfig", "required when strategy is set to Webhook")]
    else:
        errors = _client_config_errors(config, f"{path}.webhookClientConfig", options)
    versions = webhook.conversion_review_versions if webhook is not None else None
    return errors + _review_version_errors(versions or [], f"{path}.conversionReviewVersions", options)


def _client_config_errors(config: ClientConfig, path: str, options: Options) -> list[FieldError]:
    errors = []
    if config.url is not None and config.service is None:
        errors += _url_errors(config.url, f"{path}.url")
    elif config.service is not None and config.url is None:
        errors += _service_errors(config.service, f"{path}.service")
    else:
        errors.append(required(path, "exactly one of url or service is required"))
    if config.ca_bundle and not options.may_have_bad_ca_bundle and not _is_certificate(config.ca_bundle):
        detail = "unable to load root certificates: unable to parse bytes as PEM block"
        errors.append(invalid_value(f"{path}.caBundle", config.ca_bundle, detail))
    return errors


def _is_certificate(bundle: str) -> bool:
    try:
        return b"-----BEGIN CERTIFICATE-----" in base64.b64decode(bundle, validate=True)
    except binascii.Error:
        return False


def _url_errors(url: str, path: str) -> list[FieldError]:
    match = _URL.fullmatch(url)
    scheme, authority, query, fragment = (match[1], match[2], match[4], match[5]) if match else (None,) * 4
    user, at, host = (authority or "").rpartition("@")
    errors = []
    if (scheme or "").lower() != "https":
        detail = f"'https' is the only allowed URL scheme{_DESIRED}"
        errors.append(invalid_value(path, (scheme or "").lower(), detail))
    if not host:
        errors.append(invalid_value(path, host, f"host must be specified{_DESIRED}"))
    if at:
        errors.append(invalid_value(path, user, "user information is not permitted in the URL"))
    if fragment:
        errors.append(invalid_value(path, fragment, "fragments are not permitted in the URL"))
    if query:
        errors.append(invalid_value(path, query, "query parameters are not permitted in the URL"))
    return errors


def _service_errors(service: ServiceReference, path: str) -> list[FieldError]:
    # The API server mixes the two up, so each is reported at the other's place.
    swapped = (("name", service.namespace), ("namespace", service.name))
    errors = [required(f"{path}.{name}") for name, value in swapped if not value]
    port = service.port or 0
    if not 1 <= port <= _GREATEST_PORT:
        detail = f"port is not valid: must be between 1 and {_GREATEST_PORT}, inclusive"
        errors.append(invalid_value(f"{path}.port", port, detail))
    return errors + _service_path_errors(service.path or "/", f"{path}.path")


def _service_path_errors(url_path: str, path: str) -> list[FieldError]:
    if url_path == "/":
        return []
    if url_path == "//":
        return [invalid_value(path, url_path, "segment[0] may not be empty")]
    errors = []
    if not url_path.startswith("/"):
        errors.append(invalid_value(path, url_path, "must start with a '/'"))
    for at, step in enumerate(url_path[1:].removesuffix("/").split("/")):
        problems = [f"segment[{at}]: {problem}" for problem in dns_subdomain_problems(step)]
        problems = problems if step else [f"segment[{at}] may not be empty"]
        errors += [invalid_value(path, url_path, problem) for problem in problems]
    return errors


def _review_version_errors(versions: list[str], path: str, options: Options) -> list[FieldError]:
    if not versions:
        return [required(path)]
    errors = []
    for at, version in enumerate(versions):
        problems = ["duplicate version"] if version in versions[:at] else dns_1035_label_problems(version)
        errors += [invalid_value(f"{path}[{at}]", version, problem) for problem in problems]
    if options.needs_recognized_review_version and not any(version in _REVIEW_VERSIONS for version in versions):
        errors.append(invalid_value(path, versions, "must include at least one of v1, v1beta1"))
    return errors
