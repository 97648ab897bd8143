"""Application ids that people can read aloud."""

from collections.abc import Iterator

from framework.randomness import Random

_LETTERS = "abcdefghijklmnopqrstuvwxyz"
_ALPHABET = f"23456789{_LETTERS}"


def random_appids(random: Random, length: int) -> Iterator[str]:
    """One after the other, without end; each begins with a letter, and none is a secret."""
    while True:
        yield _one_of(_LETTERS, random) + "".join(_one_of(_ALPHABET, random) for _ in range(length - 1))


def _one_of(characters: str, random: Random) -> str:
    return characters[int(random.random() * len(characters))]
