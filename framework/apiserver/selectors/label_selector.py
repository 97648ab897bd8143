"""All demands on the labels of an object together."""

from collections.abc import Mapping, Sequence

from framework.apiserver.selectors.requirement import POSITIVE, Requirement


class LabelSelector:
    """Matches the objects that meet every one of its requirements."""

    __slots__ = ("_exact", "_is_nothing", "_others", "requirements")

    def __init__(self, requirements: Sequence[Requirement] = (), *, is_nothing: bool = False) -> None:
        self.requirements = tuple(sorted(requirements, key=lambda requirement: requirement.key))
        self._is_nothing = is_nothing
        # Invariant: each requirement is either an entry of _exact or has its predicate in _others.
        self._exact: dict[str, str] = {}
        others = []
        for requirement in self.requirements:
            if requirement.operator in POSITIVE and len(requirement.values) == 1 and requirement.key not in self._exact:
                self._exact[requirement.key] = requirement.values[0]
            else:
                others.append(requirement.predicate())
        self._others = tuple(others)

    @property
    def is_everything(self) -> bool:
        return not self.requirements and not self._is_nothing

    @property
    def is_nothing(self) -> bool:
        """True only for the selector of an absent LabelSelector object, not for requirements that clash."""
        return self._is_nothing

    @property
    def exact(self) -> Mapping[str, str]:
        """The labels that every match has, with these values."""
        return self._exact

    def matches(self, labels: Mapping[str, str]) -> bool:
        for key, value in self._exact.items():
            if labels.get(key) != value:
                return False
        for predicate in self._others:
            if not predicate(labels):
                return False
        return not self._is_nothing

    def __str__(self) -> str:
        return ",".join(str(requirement) for requirement in self.requirements)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LabelSelector):
            return NotImplemented
        return self.requirements == other.requirements and self._is_nothing == other._is_nothing

    def __hash__(self) -> int:
        return hash((self.requirements, self._is_nothing))


EVERYTHING = LabelSelector()
NOTHING = LabelSelector(is_nothing=True)
