"""Which plugin deletes the VMs of which cloud."""

from collections.abc import Mapping
from importlib.metadata import EntryPoint, entry_points
from typing import Protocol

from controllers.peerpod.provider import ENTRY_POINT_GROUP, CloudProvider, Permanent

_OURS = "windlass"


class Registry(Protocol):
    def load(self, name: str) -> type[CloudProvider]:
        """Permanent with reason ProviderUnknown or ProviderUnavailable, if there is none."""

    @property
    def names(self) -> frozenset[str]: ...


class GivenProviders:
    """Those that were handed in, and no others."""

    def __init__(self, providers: Mapping[str, type[CloudProvider]]) -> None:
        self._providers = dict(providers)

    @property
    def names(self) -> frozenset[str]:
        return frozenset(self._providers)

    def load(self, name: str) -> type[CloudProvider]:
        try:
            return self._providers[name]
        except KeyError:
            raise unknown_provider(name, self.names) from None


class InstalledProviders:
    """Those that installed distributions name in the entry-point group; each is imported when it is first needed."""

    @property
    def names(self) -> frozenset[str]:
        return frozenset(entry_points(group=ENTRY_POINT_GROUP).names)

    def load(self, name: str) -> type[CloudProvider]:
        # An editable installation may be found twice.
        found = {_origin(each): each for each in entry_points(group=ENTRY_POINT_GROUP, name=name)}
        if not found:
            raise unknown_provider(name, self.names)
        if len(found) > 1:
            both = " and ".join(sorted(distribution for distribution, _ in found))
            why = f"provider {name!r} is offered by {both}; uninstall all but one"
            raise Permanent("ProviderUnavailable", why)
        return _imported(next(iter(found.values())))


def unknown_provider(name: str, known: frozenset[str]) -> Permanent:
    why = f"there is no provider {name!r}; known: {', '.join(sorted(known))}"
    return Permanent("ProviderUnknown", why)


def _origin(entry_point: EntryPoint) -> tuple[str, str]:
    return entry_point.dist.name if entry_point.dist else "", entry_point.value


def _imported(entry_point: EntryPoint) -> type[CloudProvider]:
    try:
        loaded: type[CloudProvider] = entry_point.load()
    except Exception as error:  # noqa: BLE001 - a plugin is foreign code, and the import of an SDK can fail in many ways
        distribution = entry_point.dist.name if entry_point.dist else ""
        cure = f"pip install {_OURS}[{entry_point.name}]" if distribution == _OURS else f"install {distribution} again"
        why = f"provider {entry_point.name!r} cannot be loaded ({type(error).__name__}: {error}); {cure}"
        raise Permanent("ProviderUnavailable", why) from None
    return loaded
