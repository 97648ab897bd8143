"""Asks a remote cluster which one it is, and whether we may do there what we have to."""

import msgspec

from apis.apps.v1 import Deployment
from apis.core.v1 import Namespace, Secret, Service
from apis.meta import Key, resource_type_of
from framework.client import Client
from framework.errors import Forbidden, NotFound, WindlassError
from framework.rights import AccessReviews, Need, Right

KUBE_SYSTEM = Key("", "kube-system")
# What is changed there is patched, under a test of its version, which a server judges as `patch` and not as `update`.
_VERBS = ("get", "list", "watch", "create", "update", "patch", "delete")
_RIGHTS = (
    Right("get", resource_type_of(Namespace)),
    *(Right(verb, resource_type_of(kind)) for kind in (Deployment, Service, Secret) for verb in _VERBS),
)
# In all namespaces: an Instance may be in any.
NEEDS = tuple(Need(right, namespace="") for right in _RIGHTS)


class Findings(msgspec.Struct, frozen=True):
    server_version: str
    # The uid of kube-system; empty if that cannot be read.
    cluster_id: str
    # In words, such as `list secrets`.
    missing_rights: tuple[str, ...] = ()


class _Version(msgspec.Struct, frozen=True):
    git_version: str = msgspec.field(name="gitVersion")


def probe(client: Client) -> Findings:
    """Raises whatever keeps the cluster from answering."""
    version = _version_of(client.raw_get("/version"))
    cluster_id = _cluster_id(client)
    return Findings(version, cluster_id, _missing_rights(AccessReviews(client)))


def _missing_rights(reviews: AccessReviews) -> tuple[str, ...]:
    """Asked each time: rights come and go without any sign of it."""
    if reviews.is_everything_given():
        return ()
    return tuple(str(need) for need in NEEDS if not reviews.is_given(need))


def _version_of(answer: bytes) -> str:
    try:
        return msgspec.json.decode(answer, type=_Version).git_version
    except (msgspec.DecodeError, UnicodeDecodeError):
        raise WindlassError("what answers /version is no API server") from None


def _cluster_id(client: Client) -> str:
    try:
        return client.get(Namespace, KUBE_SYSTEM).metadata.uid
    except (Forbidden, NotFound):
        return ""
