"""One rule of a Role or ClusterRole."""

from typing import Any

import msgspec

from framework.apiserver.auth.quoting import quoted_list

ALL = "*"


class PolicyRule(msgspec.Struct, frozen=True, rename={"non_resource_urls": "nonResourceURLs"}):
    verbs: tuple[str, ...] = ()
    api_groups: tuple[str, ...] = msgspec.field(default=(), name="apiGroups")
    resources: tuple[str, ...] = ()
    resource_names: tuple[str, ...] = msgspec.field(default=(), name="resourceNames")
    non_resource_urls: tuple[str, ...] = ()

    def is_about(self, verb: str, group: str, resource: str, subresource: str) -> bool:
        """Whether it allows this for some object; `resource_names` tell for which ones."""
        return (
            _has(self.verbs, verb)
            and _has(self.api_groups, group)
            and self._has_resource(f"{resource}/{subresource}" if subresource else resource, subresource)
        )

    def allows_path(self, verb: str, path: str) -> bool:
        return _has(self.verbs, verb) and any(covers_path(url, path) for url in self.non_resource_urls)

    def _has_resource(self, combined: str, subresource: str) -> bool:
        return _has(self.resources, combined) or (bool(subresource) and f"*/{subresource}" in self.resources)

    def __str__(self) -> str:
        named = {
            "APIGroups": self.api_groups,
            "Resources": self.resources,
            "NonResourceURLs": self.non_resource_urls,
            "ResourceNames": self.resource_names,
            "Verbs": self.verbs,
        }
        return "{" + ", ".join(f"{name}:{quoted_list(values)}" for name, values in named.items() if values) + "}"


EVERYTHING = (
    PolicyRule(verbs=(ALL,), api_groups=(ALL,), resources=(ALL,)),
    PolicyRule(verbs=(ALL,), non_resource_urls=(ALL,)),
)


def policy_rules(document: Any) -> tuple[PolicyRule, ...]:
    """The rules of a role as it is stored; a rule with values of a wrong type allows nothing."""
    try:
        return msgspec.convert(document or (), tuple[PolicyRule, ...])
    except msgspec.ValidationError:
        return ()


def covers_path(pattern: str, path: str) -> bool:
    return pattern == path or (pattern.endswith(ALL) and path.startswith(pattern.rstrip(ALL)))


def _has(allowed: tuple[str, ...], wanted: str) -> bool:
    return wanted in allowed or ALL in allowed
