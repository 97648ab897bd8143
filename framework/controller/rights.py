"""What a controller must be allowed to do: to follow its sources, and what it declares."""

from collections.abc import Sequence
from typing import Any

from framework.controller.controller import Controller
from framework.informers import SharedInformer
from framework.rights import Place, Right

_FOLLOWING_VERBS = ("list", "watch")
_BY_NAME = "metadata.name="


def rights_of(controller: Controller, watched: Sequence[str]) -> tuple[Right, ...]:
    """All of them, where *watched* are the namespaces that informers watch unless they say otherwise."""
    informers = sorted(controller.informers, key=lambda informer: informer.name)
    followed = [right for informer in informers for right in _rights_to_follow(informer, watched)]
    return tuple(dict.fromkeys([*followed, *(controller.options.rights or ())]))


def _rights_to_follow(informer: SharedInformer[Any], watched: Sequence[str]) -> list[Right]:
    options = informer.options
    # The server takes this one selector for a name.
    name = options.fields.removeprefix(_BY_NAME) if options.fields.startswith(_BY_NAME) else ""
    return [
        Right(verb, informer.resource_type, name=name, place=place, namespace=namespace)
        for place, namespace in _places(informer, watched)
        for verb in _FOLLOWING_VERBS
    ]


def _places(informer: SharedInformer[Any], watched: Sequence[str]) -> list[tuple[Place, str]]:
    namespaces = informer.options.namespaces
    if not informer.resource_type.is_namespaced or set(namespaces) == set(watched):
        return [("watched", "")]
    return [("watched", namespace) if namespace else ("all", "") for namespace in namespaces]
