"""Where the scale subresource of a custom resource finds its numbers."""

from typing import Any

from framework.apiserver.resource import ScalePaths


def scale_paths(subresources: Any) -> ScalePaths | None:
    scale = subresources.get("scale")
    if scale is None:
        return None
    selector = scale.get("labelSelectorPath")
    return ScalePaths(
        _path(scale["specReplicasPath"]), _path(scale["statusReplicasPath"]), _path(selector) if selector else None
    )


def _path(text: str) -> tuple[str, ...]:
    return tuple(text.lstrip(".").split("."))
