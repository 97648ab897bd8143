"""The configurations of admission webhooks."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from framework.apiserver.builtin.strategy import BuiltinStrategy
from framework.apiserver.builtin.validation import names
from framework.apiserver.builtin.validation.checks import Errors, each
from framework.apiserver.builtin.validation.selectors import label_selector
from framework.apiserver.builtin.validation.webhook_rules import rule
from framework.apiserver.fields import FieldError, FieldProblem, duplicate, invalid_value, required, unsupported
from framework.apiserver.objects import Object

_FAILURE = ("Fail", "Ignore")
_MATCH = ("Equivalent", "Exact")
_REINVOCATION = ("IfNeeded", "Never")
_SIDE_EFFECTS = ("None", "NoneOnDryRun")
_REVIEW_VERSIONS = ("v1", "v1beta1")
_LONGEST_TIMEOUT_SECONDS = 30
_SEGMENTS_OF_NAME = 3
_MOST_CONDITIONS = 64
_URL_FORMAT = "; desired format: https://host[/path]"


class WebhookConfigurationStrategy(BuiltinStrategy):
    allows_unconditional_update = False
    has_generation = True
    has_core_finalizers = False

    def differs(self, new: Object, old: Object) -> bool:
        return bool(new.get("webhooks") != old.get("webhooks"))

    def validate_update(self, new: Object, old: Object, subresource: str) -> list[FieldError]:  # noqa: ARG002 - changes are free
        return [*self.metadata_problems(new), *self.problems(new)]

    def problems(self, obj: Object) -> Errors:
        seen: set[str] = set()
        for position, webhook in enumerate(obj.get("webhooks", ())):
            path, name = f"webhooks[{position}]", webhook.get("name", "")
            yield from _webhook(path, webhook)
            versions = webhook.get("admissionReviewVersions") or ()
            yield from _review_versions(f"{path}.admissionReviewVersions", versions)
            if name in seen:
                yield duplicate(f"{path}.name", name)
            if name:
                seen.add(name)


def _webhook(path: str, webhook: Object) -> Errors:
    yield from _name(f"{path}.name", webhook.get("name", ""))
    for position, one in enumerate(webhook.get("rules", ())):
        yield from rule(f"{path}.rules[{position}]", one)
    for field, supported in (("failurePolicy", _FAILURE), ("matchPolicy", _MATCH)):
        if webhook.get(field) not in supported:
            yield unsupported(f"{path}.{field}", webhook.get(field, ""), supported)
    effects = webhook.get("sideEffects")
    if effects is None:
        yield required(f"{path}.sideEffects", f"must specify one of {', '.join(_SIDE_EFFECTS)}")
    elif effects not in _SIDE_EFFECTS:
        yield unsupported(f"{path}.sideEffects", effects, _SIDE_EFFECTS)
    seconds = webhook.get("timeoutSeconds", 1)
    if not 1 <= seconds <= _LONGEST_TIMEOUT_SECONDS:
        detail = "the timeout value must be between 1 and 30 seconds"
        yield invalid_value(f"{path}.timeoutSeconds", seconds, detail)
    for field in ("namespaceSelector", "objectSelector"):
        yield from label_selector(f"{path}.{field}", webhook.get(field))
    policy = webhook.get("reinvocationPolicy")
    if policy is not None and policy not in _REINVOCATION:
        yield unsupported(f"{path}.reinvocationPolicy", policy, _REINVOCATION)
    yield from _client(f"{path}.clientConfig", webhook.get("clientConfig", {}))
    yield from _conditions(f"{path}.matchConditions", webhook.get("matchConditions", ()))


def _name(field: str, name: str) -> Errors:
    if not name:
        yield required(field)
    elif problems := names.dns_subdomain(name):
        yield invalid_value(field, name, ",".join(problems))
    elif len(name.split(".")) < _SEGMENTS_OF_NAME:
        yield invalid_value(field, name, "should be a domain with at least three segments separated by dots")


def _client(path: str, client: Object) -> Errors:
    url, service = client.get("url"), client.get("service")
    if (url is None) == (service is None):
        yield required(path, "exactly one of url or service is required")
    elif url is not None:
        yield from _url(f"{path}.url", url)
    elif service is not None:
        yield from _service(f"{path}.service", service)


def _url(field: str, url: str) -> Errors:
    parts = urlsplit(url)
    if parts.scheme != "https":
        yield invalid_value(field, parts.scheme, f"'https' is the only allowed URL scheme{_URL_FORMAT}")
    host = parts.netloc.rpartition("@")[2]
    if not host:
        yield invalid_value(field, host, f"host must be specified{_URL_FORMAT}")
    if parts.username is not None:
        user = parts.netloc.rpartition("@")[0]
        yield invalid_value(field, user, "user information is not permitted in the URL")
    if parts.fragment:
        yield invalid_value(field, parts.fragment, "fragments are not permitted in the URL")
    if parts.query:
        yield invalid_value(field, parts.query, "query parameters are not permitted in the URL")


def _service(path: str, service: Object) -> Errors:
    # The real server confuses the two: each is missed under the other's name.
    for field, missed in (("namespace", "name"), ("name", "namespace")):
        if not service.get(field):
            yield required(f"{path}.{missed}")
    port = service.get("port", 0)
    if problems := names.port_number(port):
        yield invalid_value(f"{path}.port", port, f"port is not valid: {', '.join(problems)}")
    target = service.get("path") or "/"
    if target != "/":
        yield from each(f"{path}.path", target, _path_problems(target))


def _path_problems(target: str) -> Sequence[str]:
    if target == "//":
        return ["segment[0] may not be empty"]
    problems = [] if target.startswith("/") else ["must start with a '/'"]
    for position, step in enumerate(target[1:].removesuffix("/").split("/")):
        if not step:
            problems.append(f"segment[{position}] may not be empty")
        else:
            problems += (f"segment[{position}]: {problem}" for problem in names.dns_subdomain(step))
    return problems


def _review_versions(path: str, versions: Sequence[str]) -> Errors:
    listed = ", ".join(_REVIEW_VERSIONS)
    if not versions:
        yield required(path, f"must specify one of {listed}")
        return
    seen: set[str] = set()
    for position, version in enumerate(versions):
        field = f"{path}[{position}]"
        if version in seen:
            yield invalid_value(field, version, "duplicate version")
            continue
        seen.add(version)
        yield from each(field, version, names.dns_1035_label(version))
    if not seen & set(_REVIEW_VERSIONS):
        yield invalid_value(path, versions, f"must include at least one of {listed}")


def _conditions(path: str, conditions: Sequence[Object]) -> Errors:
    if len(conditions) > _MOST_CONDITIONS:
        detail = f"must have at most {_MOST_CONDITIONS} items"
        yield FieldError(FieldProblem.TOO_MANY, path, len(conditions), detail)
    seen: set[str] = set()
    for position, condition in enumerate(conditions):
        here, name = f"{path}[{position}]", condition.get("name", "")
        if not condition.get("expression", "").strip():
            yield required(f"{here}.expression")
        if not name:
            yield required(f"{here}.name")
            continue
        yield from each(f"{here}.name", name, names.qualified_name(name))
        if name in seen:
            yield duplicate(f"{here}.name", name)
        seen.add(name)
