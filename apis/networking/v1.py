"""Kinds of the group networking.k8s.io, version v1."""

from apis.meta import KubeObject, kind


@kind(group="networking.k8s.io", version="v1", plural="ingresses", short_names=("ing",), status=True, builtin=True)
class Ingress(KubeObject, frozen=True, kw_only=True):
    pass
