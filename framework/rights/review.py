"""Asks the server which rights we have."""

from collections.abc import Iterable, Mapping

import structlog

from apis.meta import GroupVersionKind, ResourceType, Unstructured
from framework.client import Client
from framework.errors import ApiError, Forbidden, MethodNotAllowed, NotFound, TransportError, WindlassError
from framework.rights.need import Need, resource_of

ACCESS_REVIEWS = ResourceType(
    GroupVersionKind("authorization.k8s.io", "v1", "SelfSubjectAccessReview"), "selfsubjectaccessreviews", "Cluster"
)

_log = structlog.get_logger("windlass.rights")


class AccessReviews:
    """Reviews of one client's own rights."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def missing(self, needs: Iterable[Need]) -> tuple[Need, ...]:
        """Those of *needs* that the server says we do not have.

        Not those about which it does not answer: what is really forbidden will
        say so itself when it is tried.
        """
        missing = []
        try:
            for need in needs:
                if not self.is_given(need):
                    missing.append(need)  # noqa: PERF401 - what was found before a failure counts
        except (Forbidden, NotFound, MethodNotAllowed) as error:
            # Not even this may be asked, or the server knows no reviews.
            _log.debug("rights_not_reviewed", error=str(error))
        except (TransportError, ApiError) as error:
            _log.info("rights_not_reviewed", error=str(error))
        return tuple(missing)

    def is_given(self, need: Need) -> bool:
        """Whether the server says that we have it; raises if it says nothing."""
        group, plural = resource_of(need.right)
        attributes = {
            "namespace": need.namespace,
            "verb": need.right.verb,
            "group": group,
            "resource": plural,
            "subresource": need.right.subresource,
            "name": need.name,
        }
        return self._is_allowed(attributes)

    def is_everything_given(self) -> bool:
        """Whether we may do anything with anything, as an administrator may: one question instead of many."""
        return self._is_allowed({"verb": "*", "group": "*", "resource": "*"})

    def _is_allowed(self, attributes: Mapping[str, str]) -> bool:
        review = self._client.create(
            Unstructured(content={"spec": {"resourceAttributes": dict(attributes)}}), kind=ACCESS_REVIEWS
        )
        return bool(review.content.get("status", {}).get("allowed"))


def check_rights(client: Client, needs: Iterable[Need]) -> None:
    """Raise with one line that names each right that is missing; optional ones are not asked for."""
    missing = AccessReviews(client).missing(need for need in needs if not need.right.is_optional)
    if missing:
        raise WindlassError(missing_rights_message(missing))


def missing_rights_message(missing: Iterable[Need]) -> str:
    by_place: dict[str, list[str]] = {}
    for need in missing:
        by_place.setdefault(_place(need), []).append(str(need))
    places = "; ".join(f"{place}: {', '.join(rights)}" for place, rights in by_place.items())
    return f"missing rights {places}; bind a {_remedy(by_place)} that allows them"


def _place(need: Need) -> str:
    if need.namespace:
        return f"in namespace {need.namespace!r}"
    return "in all namespaces" if need.right.resource.is_namespaced else "in the cluster"


def _remedy(places: Iterable[str]) -> str:
    return "Role" if all(place.startswith("in namespace") for place in places) else "ClusterRole"
