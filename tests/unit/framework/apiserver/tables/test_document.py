from typing import Any

from framework.apiserver.tables import CustomTable, builtin_table, table_document

_POD: dict[str, Any] = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {"name": "a", "resourceVersion": "7"},
    "status": {"phase": "Succeeded"},
}


def _table(**options: Any) -> dict[str, Any]:
    return table_document(builtin_table("", "Pod"), [_POD], now=0.0, list_meta={"resourceVersion": "9"}, **options)


def test_table_has_columns_and_a_row_for_each_object() -> None:
    table = _table()

    assert (table["kind"], table["apiVersion"], table["metadata"]) == (
        "Table",
        "meta.k8s.io/v1",
        {"resourceVersion": "9"},
    )
    assert table["columnDefinitions"][0]["name"] == "Name"
    assert table["columnDefinitions"][0]["format"] == "name"
    assert table["rows"][0]["cells"][0] == "a"


def test_rows_carry_metadata_by_default() -> None:
    assert _table()["rows"][0]["object"] == {
        "kind": "PartialObjectMetadata",
        "apiVersion": "meta.k8s.io/v1",
        "metadata": _POD["metadata"],
    }


def test_rows_carry_the_object_or_nothing_on_request() -> None:
    assert _table(include_object="Object")["rows"][0]["object"] == _POD
    assert _table(include_object="None")["rows"][0]["object"] is None


def test_later_tables_of_a_watch_have_no_columns() -> None:
    assert _table(with_columns=False)["columnDefinitions"] is None


def test_older_version_is_answered_as_such() -> None:
    table = _table(api_version="meta.k8s.io/v1beta1")

    assert table["apiVersion"] == table["rows"][0]["object"]["apiVersion"] == "meta.k8s.io/v1beta1"


def test_row_of_a_pod_that_has_ended_says_so() -> None:
    assert _table()["rows"][0]["conditions"] == [
        {
            "type": "Completed",
            "status": "True",
            "reason": "Succeeded",
            "message": "The pod has completed successfully.",
        }
    ]


def test_list_without_objects_has_no_rows() -> None:
    assert table_document(CustomTable(), [], now=0.0, list_meta={})["rows"] == []
