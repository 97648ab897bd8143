"""How programs choose: mostly what works, from so few values that steps meet."""

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

Values = st.SearchStrategy[Any]
Query = st.SearchStrategy[dict[str, str]]

_SELDOM, _SOMETIMES = 19, 2
# One of them more often than the others, so that most steps find an object.
names = st.sampled_from("aaaaaaabbc")


def values(*choices: Any) -> Values:
    return st.sampled_from(choices)


def mostly(usual: Values, *rare: Values) -> Values:
    """Something rare once in twenty times: objects have many fields, and most should be good as a whole."""
    return _one_in(_SELDOM, usual, st.one_of(*rare))


def often(usual: Values, *other: Values) -> Values:
    """Something other once in three times."""
    return _one_in(_SOMETIMES, usual, st.one_of(*other))


def _one_in(last: int, usual: Values, rare: Values) -> Values:
    return st.integers(0, last).flatmap(lambda number: rare if number == last else usual)


def weighted(choices: Sequence[Values]) -> Values:
    """One of *choices*, the more often the more often it is among them; `one_of` would take each once."""
    return st.integers(0, len(choices) - 1).flatmap(choices.__getitem__)


def some(**fields: Values) -> Values:
    """An object with some of *fields*."""
    return st.fixed_dictionaries({}, optional=fields)


def query(**choices: Values) -> Query:
    """Each of *choices* once in a while."""
    rarely = {name: st.integers(0, 7).flatmap(_or_nothing(value)) for name, value in choices.items()}
    return st.fixed_dictionaries(rarely).map(lambda query: {name: value for name, value in query.items() if value})


def _or_nothing(value: Values) -> Any:
    return lambda number: value if number == 7 else st.just("")


views: Values = mostly(values(""), values("partial", "table"))
