"""Every kind that this project brings: what crds/ is generated from."""

from apis.meta import KubeObject
from apis.requeststate.v1 import RequestState

CUSTOM_KINDS: tuple[type[KubeObject], ...] = (RequestState,)
