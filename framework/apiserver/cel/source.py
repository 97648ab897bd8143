"""Shows a problem at its place in the expression, as the real server does."""

from typing import NamedTuple

_LONGEST_SNIPPET = 16384


class Problem(NamedTuple):
    position: int
    message: str


class Source:
    """An expression's text, for messages that point into it."""

    def __init__(self, text: str) -> None:
        self._text = text

    def describe(self, problems: list[Problem]) -> str:
        return "\n".join(self._describe(problem) for problem in sorted(problems, key=lambda each: each.position))

    def find(self, wanted: str, start: int) -> int:
        return self._text.find(wanted, start)

    def starts_with(self, prefix: str, position: int) -> bool:
        return self._text.startswith(prefix, position)

    def _describe(self, problem: Problem) -> str:
        before = self._text[: problem.position]
        line = before.count("\n") + 1
        column = problem.position - (before.rfind("\n") + 1)
        text = f"ERROR: <input>:{line}:{column + 1}: {problem.message}"
        lines = self._text.split("\n")
        if not self._text or len(lines[line - 1].encode()) > _LONGEST_SNIPPET:
            return text
        snippet = lines[line - 1].replace("\t", " ")
        dots = "".join("." if character.isascii() else "．" for character in snippet[:column])  # noqa: RUF001 - as the real server
        pointed = snippet[column : column + 1]
        return f"{text}\n | {snippet}\n | {dots}{'^' if pointed.isascii() else '＾'}"  # noqa: RUF001 - as the real server
