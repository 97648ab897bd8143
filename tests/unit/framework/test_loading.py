import ast
from collections.abc import Iterator
from pathlib import Path

import framework

SOURCES = Path(framework.__file__).parent
SERVERS = ("apiserver", "certificates", "http")


def unguarded_imports(tree: ast.AST, *, is_in_function: bool = False) -> Iterator[int]:
    """The lines of imports inside functions that do not stand in `with LOADING:`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            if is_in_function:
                yield node.lineno
        elif not (isinstance(node, ast.With) and ast.unparse(node.items[0]) == "LOADING"):
            is_function = isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
            yield from unguarded_imports(node, is_in_function=is_in_function or is_function)


def test_two_tasks_never_import_at_the_same_time() -> None:
    found = [
        f"{path.relative_to(SOURCES)}:{line}"
        for package in SERVERS
        for path in sorted((SOURCES / package).rglob("*.py"))
        for line in unguarded_imports(ast.parse(path.read_text()))
    ]

    assert found == []


def test_an_unguarded_import_is_found() -> None:
    guarded = "def f():\n    with LOADING:\n        import json\n"
    unguarded = "import re\nclass C:\n    def f(self):\n        if self:\n            import json\n"

    assert list(unguarded_imports(ast.parse(guarded))) == []
    assert list(unguarded_imports(ast.parse(unguarded))) == [5]
