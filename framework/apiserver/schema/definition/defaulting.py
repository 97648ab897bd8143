"""Fills in what the API server fills in of a definition."""

from framework.apiserver.objects import Object

_WEBHOOK_PORT = 443


def default_definition(crd: Object) -> None:
    """In place; asks for `spec` to be an object, and leaves alone what has a wrong type."""
    spec = crd.get("spec")
    if not isinstance(spec, dict):
        return
    names = spec.setdefault("names", {})
    kind = names.get("kind") if isinstance(names, dict) else None
    if isinstance(kind, str) and kind:
        names["singular"] = names.get("singular") or kind.lower()
        names["listKind"] = names.get("listKind") or f"{kind}List"
    _default_conversion(spec)
    _default_stored_versions(crd, spec)


def _default_conversion(spec: Object) -> None:
    if spec.get("conversion") is None:
        spec["conversion"] = {"strategy": "None"}
    service = spec["conversion"]
    for name in ("webhook", "clientConfig", "service"):
        service = service.get(name) if isinstance(service, dict) else None
    if isinstance(service, dict) and service.get("port") is None:
        service["port"] = _WEBHOOK_PORT


def _default_stored_versions(crd: Object, spec: Object) -> None:
    status = crd.setdefault("status", {})
    versions = spec.get("versions")
    if not isinstance(status, dict) or status.get("storedVersions") or not isinstance(versions, list):
        return
    for version in versions:
        if isinstance(version, dict) and version.get("storage") is True:
            status["storedVersions"] = [version.get("name", "")]
            break
