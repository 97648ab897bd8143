"""Which types fit where: assignability with type parameters, as the checker of cel-go decides it."""

from framework.apiserver.cel.types import DYN, Type

_NULLABLE = frozenset({"opaque", "object", "timestamp", "duration"})
_WITH_PARAMETERS = frozenset({"opaque", "list", "map", "type"})


class Substitutions:
    """What is known about the type parameters of one expression."""

    __slots__ = ("_found",)

    def __init__(self, found: dict[str, Type] | None = None) -> None:
        self._found = found or {}

    def accept(self, ones: list[Type], others: list[Type]) -> bool:
        """Whether each fits its counterpart; what that teaches is kept only if all fit."""
        trial = Substitutions(dict(self._found))
        if len(ones) != len(others) or not all(map(trial._fits, ones, others)):
            return False
        self._found = trial._found
        return True

    def apply(self, declared: Type, *, unknown_is_dyn: bool = False) -> Type:
        """*declared* with its type parameters replaced; the very same object if there are none."""
        if declared.kind == "type_param":
            known = self._found.get(declared.name)
            if known is not None:
                return self.apply(known, unknown_is_dyn=unknown_is_dyn)
            return DYN if unknown_is_dyn else declared
        if declared.kind not in _WITH_PARAMETERS or not declared.parameters:
            return declared
        parameters = tuple(self.apply(each, unknown_is_dyn=unknown_is_dyn) for each in declared.parameters)
        if all(new is old for new, old in zip(parameters, declared.parameters, strict=True)):
            return declared
        return Type(declared.kind, declared.name, parameters)

    def _fits(self, one: Type, other: Type) -> bool:  # noqa: PLR0911 - one for each rule
        if other.kind == "type_param":
            fits, was_known = self._substitutes(one, other)
            if fits or was_known:
                return fits
        if one.kind == "type_param":
            return self._substitutes(other, one)[0]
        if one.kind in ("dyn", "error") or other.kind in ("dyn", "error"):
            return True
        if "null_type" in (one.kind, other.kind):
            return one.kind == other.kind or (other if one.kind == "null_type" else one).kind in _NULLABLE
        if one.kind != other.kind:
            return False
        if one.kind == "type":
            return True
        if one.kind in _WITH_PARAMETERS:
            same_shape = one.name == other.name and len(one.parameters) == len(other.parameters)
            return same_shape and all(map(self._fits, one.parameters, other.parameters))
        return one.same_as(other)

    def _substitutes(self, declared: Type, parameter: Type) -> tuple[bool, bool]:
        """Whether *declared* can stand for *parameter*, and whether something did already."""
        if declared.same_as(parameter):
            return True, True
        known = self._found.get(parameter.name)
        if known is None:
            free = not self._occurs(parameter, declared)
            if free:
                self._found[parameter.name] = declared
            return free, False
        if declared.same_as(known):
            return True, True
        if not self._fits(declared, known):
            return False, True
        general = most_general(declared, known)
        if not self._occurs(parameter, general):
            self._found[parameter.name] = general
        return True, True

    def _occurs(self, parameter: Type, within: Type) -> bool:
        if parameter.same_as(within):
            return True
        if within.kind == "type_param":
            known = self._found.get(within.name)
            return known is not None and self._occurs(parameter, known)
        return any(self._occurs(parameter, each) for each in within.parameters)


def most_general(one: Type, other: Type) -> Type:
    """The wider of two types that fit each other."""
    return one if _is_wider_or_same(one, other) else other


def _is_wider_or_same(one: Type, other: Type) -> bool:
    if one.kind in ("dyn", "type_param"):
        return True
    if other.kind in ("dyn", "type_param") or one.kind != other.kind:
        return False
    if one.kind == "type":
        return True
    if one.kind in _WITH_PARAMETERS:
        same_shape = one.name == other.name and len(one.parameters) == len(other.parameters)
        return same_shape and all(map(_is_wider_or_same, one.parameters, other.parameters))
    return one.same_as(other)
