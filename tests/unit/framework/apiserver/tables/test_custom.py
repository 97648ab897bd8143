from typing import Any

import pytest

from framework.apiserver.tables import CustomTable

_NOW = 1767225600.0


def _cell(column_type: str, value: Any) -> Any:
    printer = CustomTable([{"name": "It", "type": column_type, "jsonPath": ".spec.it"}])
    return printer.cells({"metadata": {"name": "a"}, "spec": {"it": value}}, _NOW)[1]


@pytest.mark.parametrize(
    ("column_type", "value", "cell"),
    [
        ("string", "a", "a"),
        ("string", 1, "1"),
        ("string", 1234567.5, "1.2345675e+06"),
        ("string", True, "true"),
        ("string", None, "<no value>"),
        ("string", {"b": [1], "a": 2}, '{"a":2,"b":[1]}'),
        ("integer", 7, 7),
        ("integer", 2.5, 2),
        ("integer", "7", None),
        ("integer", True, None),
        ("number", 2.5, 2.5),
        ("boolean", True, True),
        ("boolean", 1, None),
        ("date", "2025-12-31T23:59:00Z", "60s"),
        ("date", "", "<unknown>"),
        ("date", "yesterday", "<invalid>"),
        ("date", 1, None),
    ],
)
def test_cell_has_the_type_of_its_column(column_type: str, value: Any, cell: Any) -> None:
    assert _cell(column_type, value) == cell


def test_missing_value_is_an_empty_cell() -> None:
    printer = CustomTable([{"name": "It", "type": "string", "jsonPath": ".spec.it"}])

    assert list(printer.cells({"metadata": {"name": "a"}}, _NOW)) == ["a", None]


def test_default_columns_are_name_and_age() -> None:
    printer = CustomTable()

    assert [(column.name, column.type, column.format) for column in printer.columns] == [
        ("Name", "string", "name"),
        ("Age", "date", ""),
    ]
    assert list(printer.cells({"metadata": {"name": "a", "creationTimestamp": "2025-12-31T23:00:00Z"}}, _NOW)) == [
        "a",
        "60m",
    ]


def test_column_keeps_what_the_definition_says() -> None:
    column = {
        "name": "It", "type": "integer", "format": "int32", "priority": 1, "description": "d", "jsonPath": ".a",
    }  # fmt: skip

    shown = CustomTable([column]).columns[1]

    assert (shown.name, shown.type, shown.format, shown.priority, shown.description) == (
        "It",
        "integer",
        "int32",
        1,
        "d",
    )


def test_columns_from_a_broken_path_on_are_not_shown() -> None:
    columns = [
        {"name": name, "type": "string", "jsonPath": path} for name, path in (("A", ".a"), ("B", "["), ("C", ".c"))
    ]

    assert [column.name for column in CustomTable(columns).columns] == ["Name", "A"]
