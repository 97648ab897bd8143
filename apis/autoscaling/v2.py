"""Kinds of the group autoscaling, version v2."""

from apis.meta import KubeObject, kind


@kind(
    group="autoscaling",
    version="v2",
    plural="horizontalpodautoscalers",
    short_names=("hpa",),
    status=True,
    builtin=True,
)
class HorizontalPodAutoscaler(KubeObject, frozen=True, kw_only=True):
    pass
