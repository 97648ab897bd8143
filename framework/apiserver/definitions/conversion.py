"""Between the versions of one definition."""

from collections.abc import Callable
from typing import Any, Protocol

from framework.apiserver.objects import Object
from framework.apiserver.status import failure
from framework.errors import ApiError


class ConversionWebhook(Protocol):
    def convert(self, client_config: Any, review_versions: list[str], obj: Object, api_version: str) -> Object:
        """Have the webhook convert *obj*; raises ApiError, worded as by the real server, when it cannot."""


def converter(crd: Object, webhook: ConversionWebhook) -> Callable[[Object, str], Object] | None:
    """How to get from one served version to another; None if there is only one."""
    if len(crd["spec"]["versions"]) == 1:
        return None
    conversion = crd["spec"].get("conversion") or {}
    if conversion.get("strategy", "None") == "None":
        return _rename
    settings = conversion.get("webhook") or {}

    def convert(obj: Object, api_version: str) -> Object:
        if obj.get("apiVersion") == api_version:
            return obj
        versions = settings.get("conversionReviewVersions") or []
        result = webhook.convert(settings.get("clientConfig") or {}, versions, obj, api_version)
        _check(obj, result, api_version)
        return result

    return convert


def _rename(obj: Object, api_version: str) -> Object:
    return obj if obj.get("apiVersion") == api_version else {**obj, "apiVersion": api_version}


def about_conversion(obj: Object, what: str) -> ApiError:
    """*what* the webhook that converts *obj* has done wrong."""
    return failure(f"conversion webhook for {obj.get('apiVersion')}, Kind={obj.get('kind')} {what}")


def _check(before: Object, after: Object, api_version: str) -> None:
    for field, part, expected in (("apiVersion", "groupVersion", api_version), ("kind", "kind", before["kind"])):
        if (received := after.get(field)) != expected:
            why = f"invalid {part} (expected {expected}, received {received})"
            raise about_conversion(before, f"returned invalid object at index 0: {why}")
    metadata = after.get("metadata")
    if not isinstance(metadata, dict):
        raise about_conversion(before, "returned invalid metadata: missing metadata in converted object")
    for field, name in (("name", "name"), ("namespace", "namespace"), ("uid", "UID")):
        old, new = before["metadata"].get(field, ""), metadata.get(field, "")
        if old != new:
            raise about_conversion(before, f"returned invalid object: must have the same {name}: {old} != {new}")
    # A conversion may change labels and annotations, and nothing else in metadata.
    kept = {name: value for name, value in before["metadata"].items() if name not in {"labels", "annotations"}}
    allowed = {name: metadata[name] for name in ("labels", "annotations") if metadata.get(name)}
    after["metadata"] = kept | allowed
